const askEvery = 3000; // Milliseconds.
const mostListed = 4; // Of each kind; the others are folded.

const place = (id) => document.getElementById(id);
let etag = "";
let state = null;
let chosen = ""; // The workload of the heat map; "": all pods.
let pointed = ""; // The first node of the cell that is told of.

// A style attribute would be refused by the policy of the page.
function withStyle(element, property, value) {
  element.style.setProperty(property, String(value));
  return element;
}

const soft = (...texts) => make("p", {class: "soft"}, ...texts);

// The first items, and the others behind a fold, which stays as it was.
function folded(id, items, leftOut, what) {
  const box = make("div", {}, ...items.slice(0, mostListed));
  if (items.length > mostListed) {
    const old = place(id);
    const fold = make("details", {id}, make("summary", {}, `${items.length - mostListed} more ${what}`), ...items.slice(mostListed));
    fold.open = old !== null && old.open;
    box.append(fold);
  }
  if (leftOut > 0) box.append(soft(`${leftOut} more ${what} are only counted.`));
  return box;
}

function drawHealth() {
  const badge = place("health");
  badge.className = `badge ${state.ready ? "open" : "closed"}`;
  badge.textContent = state.ready ? "✓ ready" : "✕ not ready";
  document.title = `vicinal: ${state.ready ? "ready" : "not ready"}, ${state.pendingPods} pending`;
  place("summary").textContent = `${counted(state.nodes, "node")}, ${counted(state.pods, "pod")}, ${state.pendingPods} pending, ` +
    `${counted(state.brokenSpreadCount, "spread constraint")} broken`;
  const list = make("ul", {class: "late"});
  for (const resource of state.resources) {
    const late = resource.lateSeconds > 0;
    list.append(make("li", {}, `${resource.name} `, make("span", {class: `badge ${late ? "closed" : "open"}`}, late ? `✕ ${resource.lateSeconds} s late` : "✓ connected")));
  }
  const parts = [make("h2", {}, "How late")];
  if (state.problem) parts.push(make("p", {}, state.problem));
  parts.push(state.resources.length > 0 ? list : soft("The cluster comes from a file: nothing is watched."));
  place("sources").replaceChildren(...parts);
}

function pendingCard(pending) {
  const card = make("div", {class: "card"},
    make("h3", {}, `${pending.workload} `, make("span", {class: "soft"}, `${counted(pending.pods, "pod")} pending`)));
  if (pending.explained) {
    card.append(make("p", {}, pending.message));
  } else if (!pending.lastDecision) {
    card.append(soft("Not looked at: vicinal explain tells why."));
  }
  if (pending.lastDecision && pending.lastDecision.reason && pending.lastDecision.reason !== pending.message) {
    card.append(soft(`Answered for ${pending.lastDecision.pod}: ${pending.lastDecision.reason}`));
  }
  const list = make("ul", {});
  for (const reason of pending.reasons) {
    list.append(make("li", {}, make("b", {}, `${counted(reason.nodes, "node")}: ${reason.title}`), ` ${reason.text}`));
  }
  if (pending.moreReasons > 0) list.append(make("li", {class: "soft"}, counted(pending.moreReasons, "more reason")));
  for (const hint of pending.hints) list.append(make("li", {}, `What would help: ${hint}`));
  if (list.children.length > 0) card.append(list);
  if (pending.pods > 1) card.append(soft(`${pending.names.join(", ")}${pending.pods > pending.names.length ? ", …" : ""}`));
  return card;
}

function drawPending() {
  const parts = [make("h2", {}, `Pending pods: ${state.pendingPods}`)];
  if (state.pendingPods > 0) {
    parts.push(soft("Why the first pod of each workload has no node. Ports, volumes, gates and claims of pods are not looked at here."));
    parts.push(folded("more-pending", state.pending.map(pendingCard), state.pendingCount - state.pending.length, "workloads"));
  }
  place("pending").replaceChildren(...parts);
}

// The pods in each cell: of the chosen workload, or all.
function heats() {
  const cells = state.zones.flatMap((zone) => zone.cells);
  if (chosen === "") return cells.map((cell) => cell.pods);
  const counts = cells.map(() => 0);
  const workload = state.workloads.find((one) => one.name === chosen);
  for (const [cell, pods] of (workload && workload.cells) || []) if (cell < counts.length) counts[cell] = pods;
  return counts;
}

const cellName = (cell) => cell.nodes > 1 ? `${cell.name} … ${cell.last} (${cell.nodes} nodes)` : cell.name;

function cellText(cell, pods) {
  const texts = [cellName(cell), chosen === "" ? counted(pods, "pod") : `${counted(pods, "pod")} of ${chosen}, ${cell.pods} in all`];
  if (cell.cordoned) texts.push(cell.nodes > 1 ? `${cell.cordoned} cordoned` : "cordoned");
  return texts.join(", ");
}

// Stays as it is while somebody chooses.
function drawChoice() {
  const choice = place("workload");
  if (document.activeElement === choice) return;
  const options = [make("option", {value: ""}, "all pods")];
  for (const workload of state.workloads) {
    if (!workload.cells) continue;
    const marks = [counted(workload.pods, "pod")];
    if (workload.pending) marks.push(`${workload.pending} pending`);
    if (workload.broken) marks.push(`${workload.broken} in broken rules`);
    options.push(make("option", {value: workload.name}, `${workload.name}: ${marks.join(", ")}`));
  }
  choice.replaceChildren(...options);
  choice.value = chosen;
  if (choice.selectedIndex >= 0) return;
  chosen = "";
  choice.value = "";
}

function drawTopology() {
  const section = place("topology");
  const focused = document.activeElement && document.activeElement.dataset ? document.activeElement.dataset.cell : undefined;
  const parts = [];
  if (state.workloadCount > state.workloads.length) parts.push(soft(`${state.workloadCount - state.workloads.length} more workloads are only in "all pods".`));
  const counts = heats();
  const most = counts.reduce((a, b) => Math.max(a, b), 1);
  const told = make("p", {class: "told", role: "status"});
  let number = 0;
  for (const [region, zones] of group(state.zones, "region")) {
    const boxes = make("div", {class: "zones"});
    for (const zone of zones) {
      const title = zone.folded ? counted(zone.folded, "more zone") : zone.zone === "" ? "no zone" : `zone ${zone.zone}`;
      const first = state.zones.slice(0, state.zones.indexOf(zone)).reduce((sum, one) => sum + one.cells.length, 0);
      const sum = zone.cells.reduce((all, _, i) => all + counts[first + i], 0);
      const cells = make("div", {class: "cells", role: "group", "aria-label": title});
      zone.cells.forEach((cell, i) => {
        const pods = counts[first + i];
        const text = cellText(cell, pods);
        const button = make("button", {class: "cell" + (cell.cordoned ? " cordoned" : ""), type: "button", "aria-label": text, title: text, "data-cell": cell.name,
          "aria-pressed": String(cell.name === pointed)}, String(pods));
        button.addEventListener("click", () => {
          pointed = cell.name;
          told.textContent = text;
          for (const other of section.querySelectorAll(".cell")) other.setAttribute("aria-pressed", String(other === button));
        });
        if (cell.name === pointed) told.textContent = text;
        cells.append(withStyle(button, "--heat", pods / most));
        ++number;
      });
      boxes.append(make("div", {class: "zone"}, make("h4", {}, title, make("span", {class: "soft"}, `${counted(zone.nodes, "node")}, ${counted(sum, "pod")}`)), cells));
    }
    parts.push(make("div", {class: "region"}, make("h3", {}, region === "" ? "no region" : `region ${region}`), boxes));
  }
  if (number < state.nodes) parts.push(soft("A tile stands for neighbouring nodes of a zone; a number is the pods on them."));
  section.replaceChildren(...parts, told);
  if (focused !== undefined) {
    const again = [...section.querySelectorAll(".cell")].find((cell) => cell.dataset.cell === focused);
    if (again) again.focus();
  }
}

function spreadCard(spread) {
  const limit = spread.minimum + spread.maxSkew;
  const broken = spread.hard && spread.excess > 0;
  const verdict = broken ? `✕ ${counted(spread.excess, "pod")} too many` : spread.excess > 0 ? `${spread.excess} more than wanted` : "✓ holds";
  const card = make("div", {class: "card"},
    make("h3", {}, `${spread.workload} by ${spread.topologyKey}: skew ${spread.skew} `, make("span", {class: `badge ${broken ? "closed" : "open"}`}, verdict)),
    soft(`${spread.hard ? "DoNotSchedule" : "ScheduleAnyway"}, maxSkew ${spread.maxSkew}, pods ${spread.selector} in namespace ${spread.namespace}; the dashed line is what a domain may have.`));
  const most = spread.domains.reduce((a, domain) => Math.max(a, domain.pods), limit + 1);
  const bars = make("div", {class: "skew"});
  for (const domain of spread.domains) {
    const over = domain.pods > limit;
    const track = make("div", {class: "track", role: "img", "aria-label": `${domain.value}: ${domain.pods} of at most ${limit}`},
      withStyle(make("div", {class: "fill"}), "--share", domain.pods / most), withStyle(make("div", {class: "limit"}), "--share", limit / most));
    bars.append(make("span", {}, domain.value), make("div", {class: over ? "closed" : ""}, track), make("span", {class: "soft"}, `${domain.pods} of at most ${limit}`));
  }
  card.append(bars);
  if (spread.domainCount > spread.domains.length) card.append(soft(`${spread.domainCount - spread.domains.length} more domains have no more pods than these.`));
  return card;
}

function table(heads, rows) {
  const body = make("tbody", {});
  for (const row of rows) body.append(make("tr", {}, ...row.map((text) => make("td", {}, text))));
  return make("div", {class: "table"}, make("table", {}, make("thead", {}, make("tr", {}, ...heads.map((text) => make("th", {scope: "col"}, text)))), body));
}

function drawRules() {
  const parts = [make("h2", {}, "Broken rules, by workload")];
  if (state.broken.length === 0) parts.push(soft("No running pod breaks required affinity, anti-affinity, node affinity or a NoSchedule taint."));
  else parts.push(table(["workload", "rule", "pods"], state.broken.map((rule) => [rule.workload, rule.rule, String(rule.pods)])));
  if (state.brokenCount > state.broken.length) parts.push(soft(`${state.brokenCount - state.broken.length} more are only counted.`));
  parts.push(make("h2", {}, `Skew: ${state.brokenSpreadCount} of ${counted(state.spreadCount, "topology spread constraint")} broken`));
  parts.push(folded("more-spreads", state.spreads.map(spreadCard), state.spreadCount - state.spreads.length, "constraints"));
  place("rules").replaceChildren(...parts);
}

function drawDecisions() {
  const parts = [make("h2", {}, "Last decisions")];
  if (state.decisions.length === 0) {
    parts.push(soft("There are none yet."));
  } else {
    parts.push(table(["time", "pod", "answer", "fitting", "took"], state.decisions.map((one) => [
      one.time.slice(11, 23), `${one.namespace}/${one.pod}`,
      one.node ? one.node + (one.runnerUp ? ` (then ${one.runnerUp})` : "") : one.outcome === "nodes" ? counted(one.fitting, "node") : one.reason || one.outcome,
      `${one.fitting} of ${one.candidates}`, `${(1000 * one.tookSeconds).toFixed(1)} ms`])));
  }
  place("decisions").replaceChildren(...parts);
}

function draw() {
  drawHealth();
  drawPending();
  drawChoice();
  drawTopology();
  drawRules();
  drawDecisions();
}

async function ask() {
  try {
    const answer = await fetch("page/state", {cache: "no-store", headers: etag === "" ? {} : {"If-None-Match": etag}});
    if (answer.status === 200) {
      state = await answer.json();
      etag = answer.headers.get("ETag") || "";
      draw();
    } else if (answer.status !== 304) {
      throw new Error((await answer.json()).error || `status ${answer.status}`);
    }
    place("contact").textContent = `As of ${new Date().toLocaleTimeString()}; it asks again every ${askEvery / 1000} s.`;
  } catch (error) {
    place("contact").textContent = `${state === null ? "There is no picture yet" : "What is shown may be old"}: ${error.message}`;
  }
  setTimeout(ask, state === null ? 500 : askEvery);
}

place("workload").addEventListener("change", () => {
  chosen = place("workload").value;
  if (state !== null) drawTopology();
});
ask();
