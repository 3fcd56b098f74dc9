/**
 * Section 3 of the specification, row by row, and the moves that the service makes by itself (`by: 'service'`). No other
 * code changes a status. A later resource adds its rows here.
 */

export type Resource = 'SUBSCRIPTION' | 'PAY_IN' | 'PAYOUT';
export type Move = {
  readonly resource: Resource;
  readonly from: string;
  /** The value that a simulation tool sends, or the name of what happened. */
  readonly trigger: string;
  readonly to: string;
  /** Who may pull the trigger: a forced move stands for the bank's callback. */
  readonly by: 'bank' | 'service';
};

const move = (
  resource: Resource,
  from: string,
  trigger: string,
  to: string = trigger,
  by: Move['by'] = 'bank',
): Move => ({
  resource,
  from,
  trigger,
  to,
  by,
});

export const moves: readonly Move[] = [
  move('SUBSCRIPTION', 'PENDING_AUTHORIZATION', 'ACCEPTED'),
  move('SUBSCRIPTION', 'PENDING_AUTHORIZATION', 'REJECTED'),
  move('SUBSCRIPTION', 'ACCEPTED', 'CANCELED'),
  move('SUBSCRIPTION', 'ACCEPTED', 'CANCELLATION_REJECTED', 'ACCEPTED'),

  move('PAY_IN', 'PENDING', 'PAID'),
  move('PAY_IN', 'PENDING', 'CANCELED'),
  move('PAY_IN', 'PENDING', 'EXPIRED'),
  move('PAY_IN', 'PENDING', 'ERROR'),
  move('PAY_IN', 'PAID', 'REFUNDED'),
  move('PAY_IN', 'PENDING', 'EXPIRED', 'EXPIRED', 'service'),

  move('PAYOUT', 'PENDING', 'PAID'),
  move('PAYOUT', 'PENDING', 'ERROR'),
  move('PAYOUT', 'PENDING', 'CANCELED'),
];

/** The move that a trigger makes from a status, or undefined: it is not allowed. */
export function findMove(resource: Resource, from: string, trigger: string, by: Move['by']): Move | undefined {
  return moves.find(
    (row) => row.resource === resource && row.from === from && row.trigger === trigger && row.by === by,
  );
}

/** The triggers that are allowed from a status, for the answer to one that is not. */
export function triggersFrom(resource: Resource, from: string): readonly string[] {
  return moves
    .filter((row) => row.resource === resource && row.from === from && row.by === 'bank')
    .map((row) => row.trigger);
}
