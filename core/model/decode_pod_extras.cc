#include <optional>
#include <utility>
#include <vector>

#include "core/model/decode.h"
#include "core/model/decode_extras.h"

namespace vicinal {
namespace {

// What of a container matters here.
struct ContainerExtras {
  std::string restart_policy;
  struct Port {
    std::int32_t host_port = 0;
    std::int32_t container_port = 0;
    std::string protocol;
    std::string host_ip;
  };
  std::vector<Port> ports;
  bool restarts_all = false;
  bool bind_mount_options = false;
};

absl::Status Decode(JsonValue value, const JsonPath& path,
                    ContainerExtras::Port* out) {
  return DecodeFields(value, path, JsonField{"hostPort", &out->host_port},
                      JsonField{"containerPort", &out->container_port},
                      JsonField{"protocol", &out->protocol},
                      JsonField{"hostIP", &out->host_ip});
}

absl::Status Decode(JsonValue value, const JsonPath& path,
                    ContainerExtras* out) {
  return ForEachField(
      value, path,
      [out](std::string_view key, JsonValue field, const JsonPath& where) {
        if (key == "restartPolicy") {
          return Decode(field, where, &out->restart_policy);
        }
        if (key == "ports") return Decode(field, where, &out->ports);
        if (key == "restartPolicyRules") {
          return ForEachElement(
              field, where, [out](JsonValue rule, const JsonPath& there) {
                std::string action;
                absl::Status status =
                    DecodeFields(rule, there, JsonField{"action", &action});
                out->restarts_all |= action == "RestartAllContainers";
                return status;
              });
        }
        if (key != "volumeMounts") return absl::OkStatus();
        return ForEachElement(
            field, where, [out](JsonValue mount, const JsonPath& there) {
              return ForEachField(mount, there,
                                  [out](std::string_view name, JsonValue inner,
                                        const JsonPath&) {
                                    out->bind_mount_options |=
                                        name == "bindMountOptions" &&
                                        !IsNull(inner);
                                    return absl::OkStatus();
                                  });
            });
      });
}

}  // namespace

static absl::Status Decode(JsonValue value, const JsonPath& path,
                           PodVolume* out) {
  return ForEachField(
      value, path,
      [out](std::string_view key, JsonValue field, const JsonPath& where) {
        if (key == "name") return Decode(field, where, &out->name);
        if (IsNull(field)) return absl::OkStatus();
        if (key == "persistentVolumeClaim") {
          return DecodeFields(field, where,
                              JsonField{"claimName", &out->claim.emplace()});
        }
        if (key == "ephemeral") {
          return DecodeFields(
              field, where,
              JsonField{"volumeClaimTemplate", &out->ephemeral.emplace()});
        }
        if (IsInTreeSource(key)) out->in_tree = key;
        return absl::OkStatus();
      });
}

namespace {

void AddPorts(const ContainerExtras& container, bool host_network,
              PodExtras* out) {
  for (const ContainerExtras::Port& port : container.ports) {
    HostPort made;
    made.port = port.host_port > 0 || !host_network ? port.host_port
                                                    : port.container_port;
    if (made.port <= 0) continue;
    if (!port.host_ip.empty()) made.ip = port.host_ip;
    if (!port.protocol.empty()) made.protocol = port.protocol;
    out->host_ports.push_back(std::move(made));
  }
}

absl::Status DecodeGate(JsonValue value, const JsonPath& path, PodExtras* out) {
  return DecodeFields(value, path,
                      JsonField{"name", &out->gates.emplace_back()});
}

absl::Status DecodeSpec(JsonValue value, const JsonPath& path, PodExtras* out) {
  std::vector<ContainerExtras> containers;
  std::vector<ContainerExtras> init_containers;
  std::vector<PodVolume> volumes;
  bool host_network = false;
  std::optional<bool> host_users;
  absl::Status status = ForEachField(
      value, path,
      [&](std::string_view key, JsonValue field, const JsonPath& where) {
        if (key == "containers") return Decode(field, where, &containers);
        if (key == "initContainers") {
          return Decode(field, where, &init_containers);
        }
        if (key == "volumes") return Decode(field, where, &volumes);
        if (key == "hostNetwork") return Decode(field, where, &host_network);
        if (key == "hostUsers") return Decode(field, where, &host_users);
        if (key == "schedulingGates") {
          return ForEachElement(field, where,
                                [out](JsonValue gate, const JsonPath& there) {
                                  return DecodeGate(gate, there, out);
                                });
        }
        if (key == "schedulingGroup") out->scheduling_group = !IsNull(field);
        if (key != "resourceClaims") return absl::OkStatus();
        return ForEachElement(field, where, [out](JsonValue, const JsonPath&) {
          out->resource_claims = true;
          return absl::OkStatus();
        });
      });
  if (!status.ok()) return status;
  bool restarts_all = false;
  bool bind_mount_options = false;
  for (const ContainerExtras& container : init_containers) {
    if (container.restart_policy == "Always") {
      AddPorts(container, host_network, out);
    }
    restarts_all |= container.restarts_all;
    bind_mount_options |= container.bind_mount_options;
  }
  for (const ContainerExtras& container : containers) {
    AddPorts(container, host_network, out);
    restarts_all |= container.restarts_all;
    bind_mount_options |= container.bind_mount_options;
  }
  // Source: k8s.io/component-helpers/nodedeclaredfeatures/features.
  if (restarts_all) out->features.emplace_back("restartPolicyRules");
  if (bind_mount_options) out->features.emplace_back("bindMountOptions");
  if (host_network && host_users == false) {
    out->features.emplace_back("hostUsers: false with hostNetwork");
  }
  for (PodVolume& volume : volumes) {
    if (volume.claim || volume.ephemeral || !volume.in_tree.empty()) {
      out->volumes.push_back(std::move(volume));
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status Decode(JsonValue value, const JsonPath& path, PodExtras* out) {
  return ForEachField(
      value, path,
      [out](std::string_view key, JsonValue field, const JsonPath& where) {
        return key == "spec" ? DecodeSpec(field, where, out) : absl::OkStatus();
      });
}

}  // namespace vicinal
