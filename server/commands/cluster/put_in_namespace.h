// Gives the objects of a manifest a namespace, as kubectl's -n does.
#ifndef VICINAL_SERVER_COMMANDS_CLUSTER_PUT_IN_NAMESPACE_H_
#define VICINAL_SERVER_COMMANDS_CLUSTER_PUT_IN_NAMESPACE_H_

#include <string>
#include <string_view>

namespace vicinal {

// The manifest, YAML or JSON, with metadata.namespace in each object that has
// none and whose kind is in namespaces; also in the items of a List. Nothing
// else is changed, but YAML becomes JSON. Text that cannot be read is returned
// as it is: whoever reads it next says what is wrong. Cost: O(text).
std::string PutInNamespace(std::string manifest,
                           std::string_view namespace_name);

}  // namespace vicinal

#endif  // VICINAL_SERVER_COMMANDS_CLUSTER_PUT_IN_NAMESPACE_H_
