// Label selectors as one text: `env in (a, b),tier!=db,!old,zone`.
#ifndef VICINAL_CORE_DESCHEDULE_SELECTOR_TEXT_H_
#define VICINAL_CORE_DESCHEDULE_SELECTOR_TEXT_H_

#include <string_view>

#include "absl/status/statusor.h"
#include "core/model/selector.h"

namespace vicinal {

// The requirements =, ==, !=, in, notin, key and !key, separated by commas; an
// empty text selects everything. Errors name the part that cannot be read.
// Source: labels.Parse in k8s.io/apimachinery/pkg/labels/selector.go; `gt` and
// `lt` are left out.
absl::StatusOr<Selector> ParseSelectorText(std::string_view text);

}  // namespace vicinal

#endif  // VICINAL_CORE_DESCHEDULE_SELECTOR_TEXT_H_
