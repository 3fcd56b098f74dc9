import type { Resource, StatusOf } from '../core/transition.ts';
import { nowMs } from './clock.ts';
import { emit } from './metrics.ts';

/**
 * Counts a resource that reached a status, by its creation or by a move: the business in numbers. Call it after the
 * commit.
 */
export function countStatus<R extends Resource>(resource: R, status: StatusOf<R>): void {
  emit(nowMs(), { resource, status }, [{ name: 'StatusReached', unit: 'Count', value: 1 }]);
}
