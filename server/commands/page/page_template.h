// The page that pictures are drawn on.
#ifndef VICINAL_SERVER_COMMANDS_PAGE_PAGE_TEMPLATE_H_
#define VICINAL_SERVER_COMMANDS_PAGE_PAGE_TEMPLATE_H_

#include <string_view>

namespace vicinal {

// server/commands/page/page.html, in which kPageData stands for the data.
std::string_view PageTemplate();

inline constexpr std::string_view kPageData = "@DATA@";

}  // namespace vicinal

#endif  // VICINAL_SERVER_COMMANDS_PAGE_PAGE_TEMPLATE_H_
