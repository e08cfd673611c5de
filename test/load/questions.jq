# 200 requests of Filter and Prioritize, which have the same fields: pods of five
# sorts, each with other $candidates out of $nodes nodes.
def selector: {matchLabels: {app: .}};
def term($key): {labelSelector: selector, topologyKey: $key};
def hostname: "kubernetes.io/hostname";
def zone: "topology.kubernetes.io/zone";
def spec($sort): [
  {},
  {affinity: {podAntiAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [term(hostname)]}}},
  {affinity: {podAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [term(zone)]}}},
  {topologySpreadConstraints: [
    {maxSkew: 1, topologyKey: zone, whenUnsatisfiable: "DoNotSchedule", labelSelector: selector}]},
  {affinity: {
     podAffinity: {preferredDuringSchedulingIgnoredDuringExecution: [
       {weight: 10, podAffinityTerm: term(zone)}]},
     podAntiAffinity: {preferredDuringSchedulingIgnoredDuringExecution: [
       {weight: 100, podAffinityTerm: term(hostname)}]}},
   topologySpreadConstraints: [
     {maxSkew: 5, topologyKey: zone, whenUnsatisfiable: "ScheduleAnyway", labelSelector: selector}]}
  ][$sort];
[range(200) | . as $i | "app-\($i % 50)" as $app | {
  pod: {
    metadata: {name: "question-\($i)", namespace: "default", uid: "question-\($i)", labels: {app: $app}},
    spec: ($app | spec($i % 5))},
  nodeNames: [range([$candidates, $nodes] | min) | "node-\((. * 7 + $i * 31) % $nodes)"]}]
