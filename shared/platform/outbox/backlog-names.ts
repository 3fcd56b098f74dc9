import * as z from 'zod';
import { webhookTypes } from './notification.ts';
import type { LineName } from './backlog.ts';
import { typeLine } from './backlog.ts';

/* A file of its own, so that the bundles of endpoints, which only make deliveries, carry no schema of lines. */

const typeLines = webhookTypes.map(typeLine);

/** Undefined for anything that names no line. */
export function lineNameOf(text: string): LineName | undefined {
  if (text === 'company') return text;
  const hash = /^endpoint:([0-9a-f]+)$/u.exec(text)?.[1];
  return hash === undefined ? typeLines.find((known) => known === text) : `endpoint:${hash}`;
}

export const LineNameShape = z.custom<LineName>(
  (value) => typeof value === 'string' && lineNameOf(value) !== undefined,
);
