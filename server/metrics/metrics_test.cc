#include "server/metrics/metrics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <vector>

namespace vicinal {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(MetricsTest, CountsRequestsByVerbAndCode) {
  Metrics metrics;
  metrics.CountRequest("filter", 200, 0.001);
  metrics.CountRequest("filter", 200, 0.001);
  metrics.CountRequest("filter", 503, 0.001);
  metrics.CountRequest("prioritize", 200, 0.001);
  const std::string text = metrics.Render();
  EXPECT_THAT(text, HasSubstr("# TYPE vicinal_requests_total counter\n"));
  EXPECT_THAT(
      text,
      HasSubstr("vicinal_requests_total{code=\"200\",verb=\"filter\"} 2\n"));
  EXPECT_THAT(
      text,
      HasSubstr("vicinal_requests_total{code=\"503\",verb=\"filter\"} 1\n"));
  EXPECT_THAT(
      text,
      HasSubstr(
          "vicinal_requests_total{code=\"200\",verb=\"prioritize\"} 1\n"));
}

TEST(MetricsTest, SaysWhichVersionRuns) {
  EXPECT_THAT(
      Metrics().Render(),
      testing::ContainsRegex("vicinal_build_info\\{version=\"[^\"]+\"\\} 1\n"));
}

TEST(MetricsTest, DurationsFallIntoTheirBuckets) {
  Metrics metrics;
  metrics.CountRequest("filter", 200, 0.00004);
  metrics.CountRequest("filter", 200, 0.004);
  metrics.CountRequest("filter", 500, 60);
  const std::string text = metrics.Render();
  const auto bucket = [](const std::string& bound, int count) {
    return "vicinal_request_duration_seconds_bucket{verb=\"filter\",le=\"" +
           bound + "\"} " + std::to_string(count) + "\n";
  };
  EXPECT_THAT(text, HasSubstr(bucket("5e-05", 1)));
  EXPECT_THAT(text, HasSubstr(bucket("0.0025", 1)));
  EXPECT_THAT(text, HasSubstr(bucket("0.005", 2)));
  EXPECT_THAT(text, HasSubstr(bucket("5", 2)));
  EXPECT_THAT(text, HasSubstr(bucket("+Inf", 3)));
  EXPECT_THAT(
      text,
      HasSubstr("vicinal_request_duration_seconds_count{verb=\"filter\"} 3\n"));
}

TEST(MetricsTest, CountsBindingsByOutcome) {
  Metrics metrics;
  metrics.CountBinding("written");
  metrics.CountBinding("refused");
  metrics.CountBinding("written");
  const std::string text = metrics.Render();
  EXPECT_THAT(text,
              HasSubstr("vicinal_bindings_total{outcome=\"written\"} 2\n"));
  EXPECT_THAT(text,
              HasSubstr("vicinal_bindings_total{outcome=\"refused\"} 1\n"));
}

TEST(MetricsTest, WaitsForPodsInFlightHaveACountAndASum) {
  Metrics metrics;
  metrics.in_flight_wait_seconds().Observe(0.25);
  metrics.in_flight_wait_seconds().Observe(0.5);
  const std::string text = metrics.Render();
  EXPECT_THAT(text, HasSubstr("vicinal_in_flight_wait_seconds_count 2\n"));
  EXPECT_THAT(text, HasSubstr("vicinal_in_flight_wait_seconds_sum 0.75\n"));
}

TEST(MetricsTest, ResourcesHaveTheirOwnMetrics) {
  Metrics metrics;
  const Metrics::Resource pods = metrics.ForResource("pods");
  const Metrics::Resource nodes = metrics.ForResource("nodes");
  pods.resource_version.Set(4711);
  pods.lists.Increment();
  nodes.lists.Increment();
  nodes.lists.Increment();
  pods.watch_starts.Increment();
  pods.disconnects.Increment();
  pods.decode_errors.Increment();
  const std::string text = metrics.Render();
  for (const char* line :
       {"vicinal_watch_resource_version{resource=\"pods\"} 4711\n",
        "vicinal_watch_resource_version{resource=\"nodes\"} 0\n",
        "vicinal_watch_lists_total{resource=\"pods\"} 1\n",
        "vicinal_watch_lists_total{resource=\"nodes\"} 2\n",
        "vicinal_watch_starts_total{resource=\"pods\"} 1\n",
        "vicinal_watch_starts_total{resource=\"nodes\"} 0\n",
        "vicinal_watch_disconnects_total{resource=\"pods\"} 1\n",
        "vicinal_decode_errors_total{resource=\"pods\"} 1\n",
        "vicinal_decode_errors_total{resource=\"nodes\"} 0\n"}) {
    EXPECT_THAT(text, HasSubstr(line));
  }
}

TEST(MetricsTest, WhatTheSchedulerDoesNotReportIsCounted) {
  Metrics metrics;
  EXPECT_THAT(metrics.Render(),
              HasSubstr("\nvicinal_swallowed_errors_total 0\n"));
  metrics.CountRequest("prioritize", 200, 0.001);
  metrics.CountRequest("filter", 503, 0.001);
  metrics.CountRequest("prioritize", 503, 0.001);
  metrics.CountRequest("prioritize", 400, 0.001);
  EXPECT_THAT(metrics.Render(),
              HasSubstr("\nvicinal_swallowed_errors_total 2\n"));
}

TEST(MetricsTest, SaysWhetherQuestionsAreAnsweredAndSinceWhenNot) {
  Metrics metrics;
  EXPECT_THAT(metrics.Render(), HasSubstr("\nvicinal_ready 0\n"));
  metrics.SetReady(true);
  metrics.SetWatchOutage("pods", 2.5);
  EXPECT_THAT(metrics.Render(), HasSubstr("\nvicinal_ready 1\n"));
  EXPECT_THAT(metrics.Render(),
              HasSubstr("\nvicinal_watch_outage_seconds{resource=\"pods\"} "
                        "2.5\n"));
}

TEST(MetricsTest, SaysWhenTheClientCertificateEndsIfThereIsOne) {
  Metrics metrics;
  EXPECT_THAT(
      metrics.Render(),
      Not(HasSubstr("\nvicinal_client_certificate_expiration_seconds ")));
  metrics.SetClientCertificateExpiration(1.5e9);
  EXPECT_THAT(
      metrics.Render(),
      HasSubstr("\nvicinal_client_certificate_expiration_seconds 1500000000"));
}

TEST(MetricsTest, TheProcessIsAmongThem) {
  const std::string text = Metrics().Render();
  EXPECT_THAT(text, HasSubstr("\nprocess_resident_memory_bytes "));
  EXPECT_THAT(text, HasSubstr("\nprocess_open_fds "));
}

TEST(MetricsTest, LargeResourceVersionsAreExact) {
  Metrics metrics;
  metrics.ForResource("pods").resource_version.Set(123456789012);
  EXPECT_THAT(
      metrics.Render(),
      HasSubstr(
          "vicinal_watch_resource_version{resource=\"pods\"} 123456789012\n"));
}

TEST(MetricsTest, TheIndexIsThereBeforeItIsSet) {
  Metrics metrics;
  EXPECT_THAT(metrics.Render(), HasSubstr("\nvicinal_index_nodes 0\n"));
  metrics.index_nodes().Set(3);
  metrics.index_pods().Set(7);
  EXPECT_THAT(metrics.Render(), HasSubstr("\nvicinal_index_nodes 3\n"));
  EXPECT_THAT(metrics.Render(), HasSubstr("\nvicinal_index_pods 7\n"));
}

TEST(MetricsTest, EachObjectHasItsOwnMetrics) {
  Metrics one;
  one.CountRequest("filter", 200, 0.001);
  EXPECT_THAT(Metrics().Render(), Not(HasSubstr("verb=\"filter\"")));
}

TEST(MetricsTest, CountsFromSeveralThreadsAddUp) {
  Metrics metrics;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&metrics] {
      for (int i = 0; i < 500; ++i) metrics.CountRequest("filter", 200, 0.001);
      EXPECT_THAT(metrics.Render(), HasSubstr("verb=\"filter\""));
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_THAT(
      metrics.Render(),
      HasSubstr("vicinal_requests_total{code=\"200\",verb=\"filter\"} 2000\n"));
}

}  // namespace
}  // namespace vicinal
