# A List of $nodes nodes in 10 zones and $pods pods of 50 applications.
def node: {
  apiVersion: "v1", kind: "Node",
  metadata: {name: "node-\(.)", labels: {
    "kubernetes.io/hostname": "node-\(.)", "topology.kubernetes.io/zone": "zone-\(. % 10)"}}};
# Every fifth application keeps its pods apart softly, so that existing pods
# have terms too.
def pod: "app-\(. % 50)" as $app | {
  apiVersion: "v1", kind: "Pod",
  metadata: {name: "pod-\(.)", namespace: "default", uid: "uid-\(.)", labels: {app: $app}},
  spec: ({nodeName: "node-\(. % $nodes)"} + if . % 5 == 0 then
    {affinity: {podAntiAffinity: {preferredDuringSchedulingIgnoredDuringExecution: [
      {weight: 10, podAffinityTerm: {labelSelector: {matchLabels: {app: $app}},
        topologyKey: "kubernetes.io/hostname"}}]}}}
    else {} end)};
{apiVersion: "v1", kind: "List", items: ([range($nodes) | node] + [range($pods) | pod])}
