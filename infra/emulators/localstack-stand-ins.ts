import described from './localstack/stand_ins/stand-ins.json' with { type: 'json' };

/** What this project's plugin of LocalStack stands in for, by the names by which it says so in LocalStack's log. */
export const standIns: Readonly<Record<StandIn, string>> = described;

export type StandIn = keyof typeof described;
