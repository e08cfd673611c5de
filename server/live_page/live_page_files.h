// The files of the page, in the program.
#ifndef VICINAL_SERVER_LIVE_PAGE_LIVE_PAGE_FILES_H_
#define VICINAL_SERVER_LIVE_PAGE_LIVE_PAGE_FILES_H_

#include <string_view>

namespace vicinal {

std::string_view LivePageHtml();
// server/commands/page's style and tools, and what is added to them here.
std::string_view LivePageStyle();
std::string_view LivePageScript();

}  // namespace vicinal

#endif  // VICINAL_SERVER_LIVE_PAGE_LIVE_PAGE_FILES_H_
