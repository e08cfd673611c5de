// Kubernetes objects for tests, written as JSON.
#ifndef VICINAL_CORE_PLUGINS_TESTING_PARSED_H_
#define VICINAL_CORE_PLUGINS_TESTING_PARSED_H_

#include <string_view>

namespace vicinal {

// Ends the test program if the text is not a T, which is one of those at the
// end of parsed.cc.
template <typename T>
T Parsed(std::string_view json);

}  // namespace vicinal

#endif  // VICINAL_CORE_PLUGINS_TESTING_PARSED_H_
