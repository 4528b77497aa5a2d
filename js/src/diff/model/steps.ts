/** Two traces, a program and its reference: which steps differ, and what is said of them. */
import type { PartedCells, PartedStep, TraceDiff } from "../../core/document.gen";
import { decodeDocument } from "../../core/wire";
import { named } from "./diff";

export function decodeSteps(wire: unknown): TraceDiff {
  return decodeDocument(wire, "trace diff", (doc) => (Array.isArray(doc.steps) ? null : "it has no steps"));
}

export function nameOf({ mine, reference }: TraceDiff): string {
  return named(mine.name, reference.name) || "trace";
}

/** Index of the step that is shown; the first that differs where none is chosen. */
export function chosenOf({ steps, first }: TraceDiff, selection: number): number {
  return steps[selection] ? selection : Math.max(0, first);
}

/** `=`; `≠ 14 of 16`; nothing where it was not compared. */
export function statusOf({ compared, parted, total }: PartedStep): string {
  if (!compared) return "not compared";
  return parted === 0 ? "=" : `≠ ${parted} of ${total}`;
}

/** What a device holds in both, as text. */
export function cellsText({ device, mine, reference, count }: PartedCells): string {
  const held = count === 0 ? `${mine.join(" ")} in both` : `mine ${mine.join(" ")}, reference ${reference.join(" ")}`;
  return `${device < 0 ? "the whole array" : `device ${device}`}: ${held}`;
}

/** Why there is no picture of a step, or what the picture leaves out; empty for nothing. */
export function noteOf(step: PartedStep | undefined): string {
  if (!step) return "";
  if (!step.compared) return `${step.name} has no counterpart in the reference, or its values were not kept.`;
  if (step.parted === 0) return `${step.name} is equal on all devices.`;
  if (step.cells.length === 0) return `${step.parted} of ${step.total} elements of ${step.name} differ.`;
  const from = step.at.some((k) => k > 0) ? ` Cells from [${step.at.join(", ")}] on.` : "";
  const hidden = step.devices.filter((id) => !step.cells.some(({ device }) => device === id)).length;
  return `${from.trim()}${hidden > 0 ? ` ${hidden} more devices differ.` : ""}`.trim();
}
