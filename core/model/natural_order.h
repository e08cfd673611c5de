// Names as people count them: w2 before w10.
#ifndef VICINAL_CORE_MODEL_NATURAL_ORDER_H_
#define VICINAL_CORE_MODEL_NATURAL_ORDER_H_

#include <string_view>

namespace vicinal {

// Numbers in names compare by value; names that are equal so compare by bytes.
// A strict order of all names. Cost: O(the names' lengths).
bool NaturalLess(std::string_view a, std::string_view b);

}  // namespace vicinal

#endif  // VICINAL_CORE_MODEL_NATURAL_ORDER_H_
