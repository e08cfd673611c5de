#include "server/listeners/admin/admin_service.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <string_view>
#include <utility>

#include "absl/status/status.h"
#include "core/model/object.h"
#include "server/decisions/decision_ring.h"
#include "server/decisions/decision_writer.h"

namespace vicinal {
namespace {

using ::testing::AnyOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

class AdminServiceTest : public ::testing::Test {
 protected:
  HttpResponse Get(std::string_view path) const {
    return service_.Handle({"GET", path, ""});
  }

  ClusterStore store_;
  Freshness freshness_{{"pods"}, std::chrono::seconds(0)};
  LeadCheck lead_check_{freshness_, {.max_unable = std::chrono::seconds(0)}};
  Metrics metrics_;
  const AdminService service_{store_, freshness_, lead_check_, metrics_};
};

TEST_F(AdminServiceTest, IsHealthyFromTheStart) {
  const HttpResponse response = Get("/healthz");
  EXPECT_EQ(response.status, 200u);
  EXPECT_EQ(response.body, "ok\n");
  EXPECT_THAT(response.content_type, StartsWith("text/plain"));
}

TEST_F(AdminServiceTest, IsReadyOnlyWhileTheStateIsFresh) {
  HttpResponse response = Get("/readyz");
  EXPECT_EQ(response.status, 503u);
  EXPECT_EQ(response.body, "pods: not listed yet\n");
  freshness_.OnListed("pods");
  response = Get("/readyz");
  EXPECT_EQ(response.status, 200u);
  EXPECT_EQ(response.body, "ok\n");
  freshness_.OnDisconnected(
      "pods", Freshness::Clock::now() - std::chrono::seconds(100));
  response = Get("/readyz");
  EXPECT_EQ(response.status, 503u);
  EXPECT_THAT(response.body, StartsWith("pods: disconnected for 100"));
  EXPECT_EQ(Get("/healthz").status, 200u);
}

TEST_F(AdminServiceTest, TheSchedulerMayLeadWhileThereAreAnswers) {
  freshness_.OnListed("pods");
  EXPECT_EQ(Get("/leadz").status, 200u);
  freshness_.OnDisconnected(
      "pods", Freshness::Clock::now() - std::chrono::seconds(100));
  const HttpResponse response = Get("/leadz");
  EXPECT_EQ(response.status, 503u);
  EXPECT_THAT(response.body, StartsWith("no answers for 0 s: pods: disconn"));
}

TEST_F(AdminServiceTest, IsNotReadyOnceItStops) {
  freshness_.OnListed("pods");
  AdminService service(store_, freshness_, lead_check_, metrics_);
  EXPECT_EQ(service.Handle({"GET", "/readyz", ""}).status, 200u);
  service.StopReady();
  const HttpResponse response = service.Handle({"GET", "/readyz", ""});
  EXPECT_EQ(response.status, 503u);
  EXPECT_EQ(response.body, "stopping\n");
  EXPECT_EQ(service.Handle({"GET", "/healthz", ""}).status, 200u);
}

TEST_F(AdminServiceTest, ProtectedMetricsNeedAClientCertificate) {
  const AdminService service(store_, freshness_, lead_check_, metrics_, true);
  EXPECT_EQ(service.Handle({"GET", "/metrics", ""}).status, 401u);
  EXPECT_EQ(service.Handle({"GET", "/healthz", ""}).status, 200u);
  HttpRequest request{"GET", "/metrics", ""};
  request.has_client_certificate = true;
  EXPECT_EQ(service.Handle(request).status, 200u);
}

TEST_F(AdminServiceTest, TheDecisionsThatAreKeptAreLinesOfJson) {
  DecisionRing ring(2);
  const AdminService service(store_, freshness_, lead_check_, metrics_, false,
                             &ring);
  EXPECT_EQ(service.Handle({"GET", "/decisions", ""}).body, "");
  for (const char* name : {"a", "b", "c"}) {
    DecisionRecord decision;
    decision.name = name;
    ring.Add(decision);
  }
  const HttpResponse response = service.Handle({"GET", "/decisions", ""});
  EXPECT_EQ(response.status, 200u);
  EXPECT_EQ(response.content_type, "application/jsonl");
  EXPECT_THAT(response.body, StartsWith("{\"number\":2,"));
  EXPECT_THAT(response.body, HasSubstr("}\n{\"number\":3,"));
  EXPECT_EQ(service.Handle({"POST", "/decisions", ""}).status, 405u);
  EXPECT_EQ(Get("/decisions").status, 404u);
}

TEST_F(AdminServiceTest, ProtectedDecisionsNeedAClientCertificate) {
  const DecisionRing ring(2);
  const AdminService service(store_, freshness_, lead_check_, metrics_, true,
                             &ring);
  HttpRequest request{"GET", "/decisions", ""};
  EXPECT_EQ(service.Handle(request).status, 401u);
  request.has_client_certificate = true;
  EXPECT_EQ(service.Handle(request).status, 200u);
}

TEST_F(AdminServiceTest, DecisionsMayBeForFewerClientsThanTheMetrics) {
  const DecisionRing ring(2);
  const AdminService service(
      store_, freshness_, lead_check_, metrics_, true, &ring, nullptr,
      [](std::string_view client) {
        return client == "reader" ? absl::OkStatus()
                                  : absl::PermissionDeniedError("no reader");
      });
  HttpRequest request{"GET", "/decisions", ""};
  EXPECT_EQ(service.Handle(request).status, 401u);
  request.has_client_certificate = true;
  for (const char* client : {"", "prometheus"}) {
    request.client_name = client;
    const HttpResponse response = service.Handle(request);
    EXPECT_EQ(response.status, 403u) << client;
    EXPECT_EQ(response.body, "{\"error\":\"no reader\"}");
  }
  request.path = "/metrics";
  EXPECT_EQ(service.Handle(request).status, 200u);
  request.path = "/decisions";
  request.client_name = "reader";
  EXPECT_EQ(service.Handle(request).status, 200u);
}

TEST_F(AdminServiceTest, ThePageIsForThoseWhoMayReadTheDecisions) {
  const DecisionRing ring(2);
  LivePage page(
      store_, freshness_, [](const std::string&) { return nullptr; }, ring,
      LivePage::Options());
  const AdminService service(
      store_, freshness_, lead_check_, metrics_, true, &ring, nullptr,
      [](std::string_view client) {
        return client == "reader" ? absl::OkStatus()
                                  : absl::PermissionDeniedError("no reader");
      },
      &page);
  for (const char* path : {"/page", "/page/state", "/page/script.js",
                           "/page/style.css", "/page/other"}) {
    HttpRequest request{"GET", path, ""};
    EXPECT_EQ(service.Handle(request).status, 401u) << path;
    request.has_client_certificate = true;
    request.client_name = "prometheus";
    EXPECT_EQ(service.Handle(request).status, 403u) << path;
    request.client_name = "reader";
    EXPECT_THAT(service.Handle(request).status, AnyOf(200u, 404u, 503u))
        << path;
    request.method = "POST";
    EXPECT_EQ(service.Handle(request).status, 405u) << path;
  }
  EXPECT_EQ(service.Handle({"GET", "/pages", ""}).status, 404u);
  EXPECT_EQ(Get("/page").status, 404u);
}

TEST_F(AdminServiceTest, TheMetricsSayWhatTheLogOfDecisionsHasLost) {
  DecisionRing ring(2);
  EXPECT_THAT(Get("/metrics").body, testing::Not(HasSubstr("decision_log")));
  const DecisionWriter writer(ring, {.path = "/proc/no/such"});
  const AdminService service(store_, freshness_, lead_check_, metrics_, false,
                             &ring, &writer);
  EXPECT_THAT(service.Handle({"GET", "/metrics", ""}).body,
              HasSubstr("\nvicinal_decision_log_lost_total 0\n"));
}

TEST_F(AdminServiceTest, TheMetricsSayHowMuchIsInTheIndex) {
  store_.Write([](ClusterState& cluster) {
    for (const char* name : {"n1", "n2"}) {
      Node node;
      node.meta.name = name;
      cluster.Upsert(std::move(node));
    }
    Pod pod;
    pod.meta.name = "p1";
    pod.spec.node_name = "n3";  // Not a node that exists.
    cluster.Upsert(std::move(pod));
  });
  const HttpResponse response = Get("/metrics");
  EXPECT_EQ(response.status, 200u);
  EXPECT_EQ(response.content_type, "text/plain; version=0.0.4; charset=utf-8");
  EXPECT_THAT(response.body, HasSubstr("\nvicinal_index_nodes 2\n"));
  EXPECT_THAT(response.body, HasSubstr("\nvicinal_index_pods 1\n"));
  store_.Write([](ClusterState& cluster) { cluster.Remove<Node>({"", "n1"}); });
  EXPECT_THAT(Get("/metrics").body, HasSubstr("\nvicinal_index_nodes 1\n"));
}

TEST_F(AdminServiceTest, TheMetricsSayHowLargeTheTopologyIndexIs) {
  store_.Write([](ClusterState& cluster) {
    Node node;
    node.meta.name = "n1";
    cluster.Upsert(std::move(node));
    for (const char* name : {"p1", "p2"}) {  // Of one group.
      Pod pod;
      pod.meta.name = name;
      pod.spec.node_name = "n1";
      cluster.Upsert(std::move(pod));
    }
  });
  const std::string text = Get("/metrics").body;
  EXPECT_THAT(text,
              HasSubstr("\nvicinal_index_entries{table=\"pod_groups\"} 1\n"));
  EXPECT_THAT(
      text, HasSubstr("\nvicinal_index_entries{table=\"carried_terms\"} 0\n"));
}

TEST_F(AdminServiceTest, TheMetricsCountObjectsThatMakeDefaults) {
  store_.Write([](ClusterState& cluster) {
    for (const char* name : {"s1", "s2"}) {
      Service service;
      service.meta.name = name;
      service.meta.namespace_name = "a";
      cluster.Upsert(std::move(service));
    }
  });
  const std::string text = Get("/metrics").body;
  EXPECT_THAT(text,
              HasSubstr("\nvicinal_index_objects{resource=\"services\"} 2\n"));
  EXPECT_THAT(
      text,
      HasSubstr("\nvicinal_index_objects{resource=\"statefulsets\"} 0\n"));
}

TEST_F(AdminServiceTest, TheMetricsSayWhetherTheStateIsFresh) {
  EXPECT_THAT(Get("/metrics").body, HasSubstr("\nvicinal_ready 0\n"));
  freshness_.OnListed("pods");
  std::string text = Get("/metrics").body;
  EXPECT_THAT(text, HasSubstr("\nvicinal_ready 1\n"));
  EXPECT_THAT(
      text, HasSubstr("\nvicinal_watch_outage_seconds{resource=\"pods\"} 0\n"));
  freshness_.OnDisconnected(
      "pods", Freshness::Clock::now() - std::chrono::seconds(100));
  text = Get("/metrics").body;
  EXPECT_THAT(text, HasSubstr("\nvicinal_ready 0\n"));
  EXPECT_THAT(
      text, HasSubstr("\nvicinal_watch_outage_seconds{resource=\"pods\"} 100"));
}

TEST_F(AdminServiceTest, TheMetricsAreThereBeforeTheStateIsFresh) {
  metrics_.CountRequest("filter", 503, 0.001);
  const HttpResponse response = Get("/metrics");
  EXPECT_EQ(response.status, 200u);
  EXPECT_THAT(
      response.body,
      HasSubstr("vicinal_requests_total{code=\"503\",verb=\"filter\"} 1\n"));
}

TEST_F(AdminServiceTest, OtherPathsAreNotFound) {
  for (const char* path : {"", "/", "/healthz/", "/filter", "/HEALTHZ"}) {
    const HttpResponse response = Get(path);
    EXPECT_EQ(response.status, 404u) << path;
    EXPECT_EQ(response.body, "{\"error\":\"unknown path\"}");
  }
}

TEST_F(AdminServiceTest, OtherMethodsAreNotAllowed) {
  for (const char* path : {"/healthz", "/readyz", "/metrics"}) {
    const HttpResponse response = service_.Handle({"POST", path, "{}"});
    EXPECT_EQ(response.status, 405u) << path;
    EXPECT_EQ(response.allow, "GET") << path;
    EXPECT_EQ(response.body, "{\"error\":\"method must be GET\"}");
  }
  EXPECT_EQ(service_.Handle({"POST", "/other", "{}"}).status, 404u);
}

}  // namespace
}  // namespace vicinal
