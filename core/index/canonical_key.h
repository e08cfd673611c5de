// Unambiguous texts for values, to find equal ones by hash. Each part is
// preceded by its length, so that no two sequences of parts run together.
#ifndef VICINAL_CORE_INDEX_CANONICAL_KEY_H_
#define VICINAL_CORE_INDEX_CANONICAL_KEY_H_

#include <string>
#include <string_view>
#include <vector>

#include "core/model/labels.h"
#include "core/model/node_selector.h"
#include "core/model/selector.h"
#include "core/model/taint.h"

namespace vicinal {

void AppendKey(std::string_view text, std::string& key);
void AppendKey(std::size_t number, std::string& key);
void AppendKey(const std::vector<std::string>& texts, std::string& key);
void AppendKey(const Labels& labels, std::string& key);
void AppendKey(const Selector& selector, std::string& key);
void AppendKey(const NodeSelector& selector, std::string& key);
void AppendKey(const std::vector<Toleration>& tolerations, std::string& key);

}  // namespace vicinal

#endif  // VICINAL_CORE_INDEX_CANONICAL_KEY_H_
