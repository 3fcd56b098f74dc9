import { signal } from '@preact/signals';
import type { Instant } from '#shared/core/brasilia-time.ts';
import { epochMs } from '#shared/core/brasilia-time.ts';
import { showInstant, showRelative } from '../format.ts';
import { language } from '../language.ts';

/** How far the company's clock is ahead of real time, milliseconds. Orders follow it; deliveries are in real time. */
export const aheadMs = signal(0);

type Timed = {
  at: Instant | null | undefined;
  /** Set for a delivery or a request, which no advance of the company's clock moves. */
  isReal?: boolean;
};

/** How long ago it was; the exact time when the pointer rests on it. */
export function Time({ at, isReal = false }: Timed) {
  if (at === null || at === undefined) return <>–</>;
  const now = Date.now() + (isReal ? 0 : aheadMs.value);
  return (
    <time dateTime={at} title={showInstant(at)}>
      {showRelative(epochMs(at) - now, language.value)}
    </time>
  );
}

/** The exact time, and how long ago it was. */
export function Exactly({ at, isReal = false }: Timed) {
  if (at === null || at === undefined) return <>–</>;
  return (
    <>
      {showInstant(at)}{' '}
      <small>
        <Time at={at} isReal={isReal} />
      </small>
    </>
  );
}
