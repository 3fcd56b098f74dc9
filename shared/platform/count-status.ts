import { nowMs } from './clock.ts';
import { emit } from './metrics.ts';

/**
 * Counts a resource that reached a status, by its creation or by a move: the business in numbers. Call it after the
 * commit.
 */
export function countStatus(resource: string, status: string): void {
  emit(nowMs(), { resource, status }, [{ name: 'StatusReached', unit: 'Count', value: 1 }]);
}
