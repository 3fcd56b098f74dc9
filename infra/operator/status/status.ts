import type { EnvironmentName } from '#infra/settings.ts';
import type { Instant } from '#shared/core/brasilia-time.ts';
import { addCentavos, centavos, formatAmount } from '#shared/core/money.ts';
import type { OpenCommand } from '../bank-unanswered.ts';
import { isOverdue, openCommands } from '../bank-unanswered.ts';
import type { OperatorDependencies } from '../target.ts';
import type { Companies, CompanyBank } from './companies.ts';
import { lookAtCompanies } from './companies.ts';
import type { DueJobs } from './due-work.ts';
import { dueWork, simulatedCompanies } from './due-work.ts';
import type { Problem } from './problem.ts';
import type { QueueState } from './queues.ts';
import { countFailures } from './queues.ts';
import type { Statements } from './statements.ts';
import { provedStatements } from './statements.ts';
import type { Deployment, Surroundings } from './surroundings.ts';

/** A bank with the commands that wait there. `amount`: in BRL, reserved for them. */
type Bank = Omit<CompanyBank, 'companyId' | 'state' | 'connectionId'> & {
  /** Null: the simulated bank. */
  readonly connectionId: string | null;
  readonly state: CompanyBank['state'] | 'SIMULATED' | 'ENDED';
  readonly waiting: string;
  readonly amount: string;
  readonly oldest: Instant | null;
};

type Status = {
  readonly state: 'GOOD' | 'TROUBLED';
  readonly problems: readonly Problem[];
  readonly banks: readonly Bank[];
  readonly endpoints: Companies['endpoints'];
  readonly work: readonly DueJobs[];
  readonly statements: Statements;
  readonly queues: readonly QueueState[];
  readonly deployment: Deployment & { readonly environment: string };
};

/** Commands that are read at most. */
const commandsAtMost = 1000;

/**
 * Looks at all that an operator is woken for: banks with the commands that wait there, endpoints, late work, proofs of
 * statements, queues of what failed, and the last deployment. It only reads. Its cost grows with companies and
 * connections, not with orders.
 */
export async function showStatus(
  { store, now, surroundings }: Pick<OperatorDependencies, 'store' | 'now' | 'surroundings'>,
  { environment }: { readonly environment: EnvironmentName | undefined },
): Promise<Status> {
  const at = now();
  const around = surroundings(environment);
  const [companies, commands, simulated, proved, queues, deployment] = await Promise.all([
    lookAtCompanies(store, at),
    openCommands(store, at, commandsAtMost),
    simulatedCompanies(store),
    provedStatements(store, at),
    countFailures(around),
    deploymentOf(around),
  ]);
  const due = await dueWork(store, at, simulated);
  const banks = withCommands(companies, commands);
  const problems = [
    ...companies.problems,
    ...overdue(companies, commands, at, simulated),
    ...due.problems,
    ...proved.problems,
    ...queues.problems,
  ];
  return {
    state: problems.length === 0 ? 'GOOD' : 'TROUBLED',
    problems,
    banks,
    endpoints: companies.endpoints,
    work: due.work,
    statements: proved.statements,
    queues: queues.queues,
    deployment,
  };
}

type Commands = Awaited<ReturnType<typeof openCommands>>;

/** Adds the commands to their banks. A bank that is no connection now has a row only where commands wait. */
function withCommands({ banks, names }: Companies, { found, isWhole }: Commands): readonly Bank[] {
  const waiting = Map.groupBy(found, ({ companyId, connection }) => `${companyId}#${connection ?? ''}`);
  const known = banks.map(({ companyId, ...bank }) => {
    const key = `${companyId}#${bank.connectionId}`;
    const commands = waiting.get(key) ?? [];
    waiting.delete(key);
    return { ...bank, ...sumOf(commands, isWhole) };
  });
  const others = [...waiting.values()].map((commands): Bank => {
    const { companyId = '', connection: connectionId = null } = commands[0] ?? {};
    const state = connectionId === null ? 'SIMULATED' : 'ENDED';
    const company = names.get(companyId) ?? companyId;
    return { company, connectionId, state, since: null, readTo: null, ...sumOf(commands, isWhole) };
  });
  return [...known, ...others];
}

function sumOf(commands: readonly OpenCommand[], isWhole: boolean): Pick<Bank, 'waiting' | 'amount' | 'oldest'> {
  const more = isWhole ? '' : '+';
  const amount = addCentavos(...commands.map((command) => command.amount ?? centavos(0)));
  const oldest = commands[0]?.since ?? null;
  return { waiting: `${commands.length}${more}`, amount: `${formatAmount(amount)}${more}`, oldest };
}

/** The commands that wait longer than a bank takes, one line for each company. A simulated clock shows no age. */
function overdue(
  { names }: Companies,
  { found, isWhole }: Commands,
  at: Instant,
  simulated: ReadonlySet<string>,
): readonly Problem[] {
  const late = found.filter((command) => isOverdue(command, at) && !simulated.has(command.companyId));
  return [...Map.groupBy(late, ({ companyId }) => companyId)].map(([companyId, commands]) => {
    const { waiting, amount, oldest } = sumOf(commands, isWhole);
    const company = names.get(companyId) ?? companyId;
    return {
      problem: `${company}: commands without an outcome: ${waiting}, ${amount} BRL, the oldest since ${oldest}`,
      next: 'bank:unanswered --older-than 5m',
    };
  });
}

/** A deployment that cannot be read is no problem of the service: in place of the release stands the error. */
async function deploymentOf({ environment, deployment }: Surroundings): Promise<Status['deployment']> {
  try {
    return { environment, ...(await deployment()) };
  } catch (error) {
    return { environment, release: error instanceof Error ? error.name : 'failed', at: null };
  }
}
