import { signal } from '@preact/signals';
import type { Instant } from '#shared/core/brasilia-time.ts';
import { epochMs } from '#shared/core/brasilia-time.ts';
import { showInstant, showRelative } from '../format.ts';
import { language } from '../language.ts';

/** How far the company's clock is ahead of real time, milliseconds. Orders follow it; deliveries are in real time. */
export const aheadMs = signal(0);

type Timed = {
  at: Instant | null | undefined;
  /** Set for times of deliveries and requests, which do not follow the company's clock. */
  isReal?: boolean;
};

/** Shows how long ago an instant was, with the exact time as its title. */
export function Time({ at, isReal = false }: Timed) {
  if (at === null || at === undefined) return <>–</>;
  const now = Date.now() + (isReal ? 0 : aheadMs.value);
  return (
    <time dateTime={at} title={showInstant(at)}>
      {showRelative(epochMs(at) - now, language.value)}
    </time>
  );
}

/** Shows an instant and how long ago it was. */
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
