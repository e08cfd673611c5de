package harness

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"testing"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
)

// Metrics is one reading of a /metrics page.
type Metrics map[string]*dto.MetricFamily

func scrape(client *http.Client, url string) (Metrics, error) {
	response, err := client.Get(url)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("%s: %s", url, response.Status)
	}
	return parse(response.Body)
}

func parse(page io.Reader) (Metrics, error) {
	parser := expfmt.NewTextParser(model.UTF8Validation)
	return parser.TextToMetricFamilies(page)
}

// Metrics reads those of kube-apiserver.
func (cp *ControlPlane) Metrics(t testing.TB) Metrics {
	t.Helper()
	page, err := cp.Admin.Discovery().RESTClient().Get().AbsPath("/metrics").DoRaw(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	metrics, err := parse(bytes.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	return metrics
}

// SumWhere adds up the counters that have all of these labels, or what the histograms
// that have them have observed.
func (m Metrics) SumWhere(name string, labels map[string]string) float64 {
	sum := 0.0
	for _, metric := range m[name].GetMetric() {
		matching := 0
		for _, pair := range metric.GetLabel() {
			if value, ok := labels[pair.GetName()]; ok && value == pair.GetValue() {
				matching++
			}
		}
		if matching == len(labels) {
			sum += metric.GetCounter().GetValue() + metric.GetHistogram().GetSampleSum()
		}
	}
	return sum
}

// Value of the one gauge or counter whose label has that value.
func (m Metrics) Value(name, label, value string) (float64, error) {
	var found []float64
	for _, metric := range m[name].GetMetric() {
		for _, pair := range metric.GetLabel() {
			if pair.GetName() == label && pair.GetValue() == value {
				found = append(found, count(metric))
			}
		}
	}
	if len(found) != 1 {
		return 0, fmt.Errorf("%d metrics %s{%s=%q}, want one", len(found), name, label, value)
	}
	return found[0], nil
}

// Sum of the gauge or counter name over all labels; of a histogram the number of
// observations. 0 if there is none.
func (m Metrics) Sum(name string) float64 {
	sum := 0.0
	for _, metric := range m[name].GetMetric() {
		sum += count(metric)
	}
	return sum
}

// count is the value of a gauge or counter, of a histogram the number of observations.
func count(metric *dto.Metric) float64 {
	return metric.GetGauge().GetValue() + metric.GetCounter().GetValue() + float64(metric.GetHistogram().GetSampleCount())
}
