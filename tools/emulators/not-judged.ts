import described from './localstack/stand_ins/stand-ins.json' with { type: 'json' };
import points from './not-judged.json' with { type: 'json' };

const labels = { ministack: 'MiniStack', localstack: 'LocalStack' } as const;
export type EmulatorName = keyof typeof labels;

/** A point that an emulator does not test, the reason for each such emulator, and the test that proves it instead. */
type NotJudged = Readonly<Partial<Record<EmulatorName, string>>> & {
  readonly point: string;
  readonly provedBy: string;
};

/** Points found in trials, and in the source of MiniStack 1.5.33 and LocalStack 4.14.0. */
export const notJudged: readonly NotJudged[] = points;

/** The stand-ins of the project's plugin of LocalStack by their names in its log, and what proves each instead. */
export const standIns: Readonly<Record<string, { readonly what: string; readonly provedBy: string }>> = described;

/** Printed at the end of a run: each point that the emulator does not test, the reason, and the test that covers it. */
export function describeNotJudged(emulator: EmulatorName): string {
  const own = notJudged.flatMap(({ point, [emulator]: because, provedBy }) =>
    because === undefined ? [] : [`  ${point}\n    ${because}\n    tested instead by: ${provedBy}`],
  );
  const plugin = Object.entries(standIns).map(
    ([name, { what, provedBy }]) => `  ${name}: ${what}\n    tested instead by: ${provedBy}`,
  );
  return [
    `${labels[emulator]} does not test:`,
    ...own,
    ...(emulator === 'localstack'
      ? ["Replaced by stand-ins of this project's plugin (a stand-in does not prove the behavior of AWS):", ...plugin]
      : []),
  ].join('\n');
}
