// The cluster of `vicinal serve --sample`.
#ifndef VICINAL_SERVER_COMMANDS_SAMPLE_SAMPLE_CLUSTER_H_
#define VICINAL_SERVER_COMMANDS_SAMPLE_SAMPLE_CLUSTER_H_

#include <string_view>

namespace vicinal {

// server/commands/sample/cluster.yaml, a List of objects.
std::string_view SampleClusterYaml();

}  // namespace vicinal

#endif  // VICINAL_SERVER_COMMANDS_SAMPLE_SAMPLE_CLUSTER_H_
