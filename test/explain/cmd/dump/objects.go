package main

const node = `        {
            "apiVersion": "v1",
            "kind": "Node",
            "metadata": {
                "annotations": {
                    "node.alpha.kubernetes.io/ttl": "0",
                    "volumes.kubernetes.io/controller-managed-attach-detach": "true"
                },
                "creationTimestamp": "2026-01-01T00:00:00Z",
                "labels": {
                    "beta.kubernetes.io/arch": "amd64",
                    "kubernetes.io/hostname": "node-{N}",
                    "kubernetes.io/os": "linux",
                    "topology.kubernetes.io/region": "r",
                    "topology.kubernetes.io/zone": "zone-{ZONE}"
                },
                "name": "node-{N}",
                "resourceVersion": "1000{N}",
                "uid": "00000000-0000-4000-8000-node{N}"
            },
            "spec": {
                "podCIDR": "10.244.0.0/24",
                "providerID": "example://node-{N}"
            },
            "status": {
                "addresses": [
                    {
                        "address": "node-{N}",
                        "type": "Hostname"
                    }
                ],
                "allocatable": {
                    "cpu": "64",
                    "ephemeral-storage": "100Gi",
                    "memory": "256Gi",
                    "pods": "110"
                },
                "capacity": {
                    "cpu": "64",
                    "ephemeral-storage": "100Gi",
                    "memory": "256Gi",
                    "pods": "110"
                },
                "conditions": [
                    {
                        "lastHeartbeatTime": "2026-01-01T00:00:00Z",
                        "message": "kubelet is posting ready status",
                        "reason": "KubeletReady",
                        "status": "True",
                        "type": "Ready"
                    }
                ],
                "images": [
                    {
                        "names": [
                            "registry.example/app@sha256:0000000000000000000000000000000000000000000000000000000000000000",
                            "registry.example/app:1"
                        ],
                        "sizeBytes": 123456789
                    }
                ]
            }
        }`

const namespace = `        {
            "apiVersion": "v1",
            "kind": "Namespace",
            "metadata": {
                "labels": {
                    "kubernetes.io/metadata.name": "team-{NS}"
                },
                "name": "team-{NS}"
            },
            "spec": {
                "finalizers": [
                    "kubernetes"
                ]
            },
            "status": {
                "phase": "Active"
            }
        }`

const service = `        {
            "apiVersion": "v1",
            "kind": "Service",
            "metadata": {
                "name": "app-{D}",
                "namespace": "team-{NS}"
            },
            "spec": {
                "clusterIP": "10.96.0.1",
                "ports": [
                    {
                        "port": 80,
                        "protocol": "TCP",
                        "targetPort": 8080
                    }
                ],
                "selector": {
                    "app": "app-{D}"
                },
                "type": "ClusterIP"
            },
            "status": {
                "loadBalancer": {}
            }
        }`

const replicaSet = `        {
            "apiVersion": "apps/v1",
            "kind": "ReplicaSet",
            "metadata": {
                "name": "app-{D}-5d4f8c7b9",
                "namespace": "team-{NS}",
                "ownerReferences": [
                    {
                        "apiVersion": "apps/v1",
                        "controller": true,
                        "kind": "Deployment",
                        "name": "app-{D}",
                        "uid": "00000000-0000-4000-8000-depl{D}"
                    }
                ]
            },
            "spec": {
                "replicas": 30,
                "selector": {
                    "matchLabels": {
                        "app": "app-{D}",
                        "pod-template-hash": "5d4f8c7b9"
                    }
                },
                "template": {
                    "metadata": {
                        "labels": {
                            "app": "app-{D}",
                            "pod-template-hash": "5d4f8c7b9"
                        }
                    }
                }
            }
        }`

const affinityText = `                "affinity": {
                    "podAntiAffinity": {
                        "requiredDuringSchedulingIgnoredDuringExecution": [
                            {
                                "labelSelector": {
                                    "matchLabels": {
                                        "app": "app-{D}"
                                    }
                                },
                                "topologyKey": "kubernetes.io/hostname"
                            }
                        ]
                    }
                },
`

const pod = `        {
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": {
                "annotations": {
                    "checksum/config": "0000000000000000000000000000000000000000000000000000000000000000",
                    "cni.example.org/podIP": "{IP}/32",
                    "prometheus.io/port": "8080",
                    "prometheus.io/scrape": "true"
                },
                "creationTimestamp": "2026-01-01T00:00:00Z",
                "generateName": "app-{D}-5d4f8c7b9-",
                "labels": {
                    "app": "app-{D}",
                    "pod-template-hash": "5d4f8c7b9",
                    "tier": "backend"
                },
                "name": "app-{D}-5d4f8c7b9-{P}",
                "namespace": "team-{NS}",
                "ownerReferences": [
                    {
                        "apiVersion": "apps/v1",
                        "blockOwnerDeletion": true,
                        "controller": true,
                        "kind": "ReplicaSet",
                        "name": "app-{D}-5d4f8c7b9",
                        "uid": "00000000-0000-4000-8000-repl{D}"
                    }
                ],
                "resourceVersion": "20{P}",
                "uid": "00000000-0000-4000-8000-pod{P}"
            },
            "spec": {
{AFFINITY}                "containers": [
                    {
                        "args": [
                            "--listen=:8080",
                            "--config=/etc/app/config.yaml"
                        ],
                        "env": [
                            {
                                "name": "DATABASE_URL",
                                "value": "postgres://db.team-{NS}.svc:5432/app?sslmode=require"
                            }
                        ],
                        "image": "registry.example/app:1",
                        "imagePullPolicy": "IfNotPresent",
                        "name": "app",
                        "ports": [
                            {
                                "containerPort": 8080,
                                "protocol": "TCP"
                            }
                        ],
                        "resources": {
                            "limits": {
                                "cpu": "1",
                                "memory": "512Mi"
                            },
                            "requests": {
                                "cpu": "250m",
                                "memory": "256Mi"
                            }
                        },
                        "terminationMessagePath": "/dev/termination-log",
                        "terminationMessagePolicy": "File",
                        "volumeMounts": [
                            {
                                "mountPath": "/var/run/secrets/kubernetes.io/serviceaccount",
                                "name": "kube-api-access",
                                "readOnly": true
                            }
                        ]
                    }
                ],
                "dnsPolicy": "ClusterFirst",
                "enableServiceLinks": true,
                "nodeName": "node-{N}",
                "preemptionPolicy": "PreemptLowerPriority",
                "priority": 0,
                "restartPolicy": "Always",
                "schedulerName": "default-scheduler",
                "securityContext": {},
                "serviceAccount": "default",
                "serviceAccountName": "default",
                "terminationGracePeriodSeconds": 30,
                "tolerations": [
                    {
                        "effect": "NoExecute",
                        "key": "node.kubernetes.io/not-ready",
                        "operator": "Exists",
                        "tolerationSeconds": 300
                    },
                    {
                        "effect": "NoExecute",
                        "key": "node.kubernetes.io/unreachable",
                        "operator": "Exists",
                        "tolerationSeconds": 300
                    }
                ],
                "volumes": [
                    {
                        "name": "kube-api-access",
                        "projected": {
                            "defaultMode": 420
                        }
                    }
                ]
            },
            "status": {
                "conditions": [
                    {
                        "lastProbeTime": null,
                        "lastTransitionTime": "2026-01-01T00:00:00Z",
                        "status": "True",
                        "type": "PodScheduled"
                    }
                ],
                "containerStatuses": [
                    {
                        "containerID": "containerd://0000000000000000000000000000000000000000000000000000000000{P}",
                        "image": "registry.example/app:1",
                        "imageID": "registry.example/app@sha256:0000000000000000000000000000000000000000000000000000000000000000",
                        "lastState": {},
                        "name": "app",
                        "ready": true,
                        "restartCount": 0,
                        "started": true,
                        "state": {
                            "running": {
                                "startedAt": "2026-01-01T00:00:00Z"
                            }
                        }
                    }
                ],
                "hostIP": "192.168.0.1",
                "phase": "Running",
                "podIP": "{IP}",
                "qosClass": "Burstable",
                "startTime": "2026-01-01T00:00:00Z"
            }
        }`
