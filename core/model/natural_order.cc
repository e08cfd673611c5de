#include "core/model/natural_order.h"

#include <algorithm>
#include <cstddef>

namespace vicinal {
namespace {

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

// Takes the digits at the front of `text`, without leading zeros.
std::string_view TakeNumber(std::string_view& text) {
  const std::size_t size = static_cast<std::size_t>(
      std::find_if_not(text.begin(), text.end(), IsDigit) - text.begin());
  std::string_view number = text.substr(0, size);
  text.remove_prefix(size);
  number.remove_prefix(std::min(number.find_first_not_of('0'), number.size()));
  return number;
}

}  // namespace

bool NaturalLess(std::string_view a, std::string_view b) {
  std::string_view x = a;
  std::string_view y = b;
  while (!x.empty() && !y.empty()) {
    if (IsDigit(x.front()) && IsDigit(y.front())) {
      const std::string_view m = TakeNumber(x);
      const std::string_view n = TakeNumber(y);
      if (m.size() != n.size()) return m.size() < n.size();
      if (m != n) return m < n;
    } else {
      if (x.front() != y.front()) return x.front() < y.front();
      x.remove_prefix(1);
      y.remove_prefix(1);
    }
  }
  if (x.empty() != y.empty()) return x.empty();
  return a < b;
}

}  // namespace vicinal
