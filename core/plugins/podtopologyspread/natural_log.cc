#include "core/plugins/podtopologyspread/natural_log.h"

#include <cmath>

namespace vicinal {

// The method of FreeBSD's e_log.c: with x = 2^k (1 + f), sqrt(2)/2 < 1 + f <
// sqrt(2) and s = f / (2 + f), ln(1 + f) = f - f²/2 + s (f²/2 + R(s²)) with a
// minimax polynomial R. The order of the operations is part of the contract.
double NaturalLog(double x) {
  constexpr double kLn2High = 6.93147180369123816490e-01;
  constexpr double kLn2Low = 1.90821492927058770002e-10;
  constexpr double kR1 = 6.666666666666735130e-01;
  constexpr double kR2 = 3.999999999940941908e-01;
  constexpr double kR3 = 2.857142874366239149e-01;
  constexpr double kR4 = 2.222219843214978396e-01;
  constexpr double kR5 = 1.818357216161805012e-01;
  constexpr double kR6 = 1.531383769920937332e-01;
  constexpr double kR7 = 1.479819860511658591e-01;
  constexpr double kHalfSqrt2 = 7.07106781186547524401e-01;

  int exponent = 0;
  double mantissa = std::frexp(x, &exponent);
  if (mantissa < kHalfSqrt2) {
    mantissa *= 2;
    --exponent;
  }
  const double f = mantissa - 1;
  const double k = exponent;
  const double s = f / (2 + f);
  const double s2 = s * s;
  const double s4 = s2 * s2;
  const double odd = s2 * (kR1 + s4 * (kR3 + s4 * (kR5 + s4 * kR7)));
  const double even = s4 * (kR2 + s4 * (kR4 + s4 * kR6));
  const double r = odd + even;
  const double half_f2 = 0.5 * f * f;
  return k * kLn2High - ((half_f2 - (s * (half_f2 + r) + k * kLn2Low)) - f);
}

}  // namespace vicinal
