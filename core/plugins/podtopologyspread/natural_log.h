// The natural logarithm, to the last bit as the stock scheduler has it.
#ifndef VICINAL_CORE_PLUGINS_PODTOPOLOGYSPREAD_NATURAL_LOG_H_
#define VICINAL_CORE_PLUGINS_PODTOPOLOGYSPREAD_NATURAL_LOG_H_

namespace vicinal {

// ln(x) for a positive, finite, normal x as Go's math.Log gives it on amd64.
// The C library's log is the nearer of two neighbouring doubles more often, but
// differs for 1 % of the integers, 3 among them.
double NaturalLog(double x);

}  // namespace vicinal

#endif  // VICINAL_CORE_PLUGINS_PODTOPOLOGYSPREAD_NATURAL_LOG_H_
