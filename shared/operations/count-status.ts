import type { Resource } from '../domain/moves.ts';
import { nowMs } from '../runtime/clock.ts';
import { emit } from '../runtime/metrics.ts';

/** Counts a resource that came to a status, by creation or by a move: the business in numbers. Call it after the commit. */
export function countStatus(resource: Resource, status: string): void {
  emit(nowMs(), { resource, status }, [{ name: 'StatusReached', unit: 'Count', value: 1 }]);
}
