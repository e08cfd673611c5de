// What the scripts of all pages use.
"use strict";

// make("p", {class: "soft"}, "text", child…): text is never read as HTML.
function make(tag, attributes, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes || {})) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

// Neighbouring numbers get colours far apart, and the first is not red.
function colour(workload) {
  return `hsl(${(210 + workload * 137.5) % 360} 62% var(--pod-light))`;
}

function group(items, key) {
  const groups = new Map();
  for (const item of items) {
    if (!groups.has(item[key])) groups.set(item[key], []);
    groups.get(item[key]).push(item);
  }
  return [...groups].sort((a, b) => a[0] < b[0] ? -1 : 1);
}

const counted = (count, what) => `${count} ${what}${count === 1 ? "" : "s"}`;
