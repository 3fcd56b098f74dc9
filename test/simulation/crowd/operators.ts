import { deposit, setAccountStatus } from '#infra/operator/accounts/accounts.ts';
import { allowRepetition, returnUnmatched, showUnmatched } from '#infra/operator/bank.ts';
import { decideReported, openReported } from '#infra/operator/disputes/disputes.ts';
import { rotateSecret, setClientStatus } from '#infra/operator/onboarding.ts';
import type { OnboardingDependencies } from '#infra/operator/target.ts';
import { holdNotifications, releaseNotifications, showEndpoints } from '#infra/operator/webhooks.ts';
import { RequestError } from '#shared/core/errors.ts';
import { centavos } from '#shared/core/money.ts';
import type { Company, CrowdWorld } from './world-types.ts';

type Command = (deps: OnboardingDependencies, company: Company, world: CrowdWorld) => Promise<unknown>;

const longestMs = 2_400_000;
/** A refusal decides: another try would have the same. */
const unlessRefused = (error: unknown): void => {
  if (!(error instanceof RequestError)) throw error;
};

/** What an operator does, and takes back after a while where it would stop a company. */
const commands: Readonly<Record<string, Command>> = {
  hold: (deps, { companyId }, { draws, endpointsOf }) =>
    holdNotifications(deps, { companyId, endpoint: draws.chance(0.7) ? draws.one(endpointsOf(companyId)) : undefined }),
  release: async (deps, { companyId }, { endpointsOf }) => {
    await releaseNotifications(deps, { companyId });
    for (const endpoint of endpointsOf(companyId))
      await releaseNotifications(deps, { companyId, endpoint }).catch(unlessRefused);
  },
  endpoints: (deps, { companyId }) => showEndpoints(deps, companyId),
  rotate: (deps, { companyId }) => rotateSecret(deps, { companyId, overlapSeconds: 3600 }),
  deposit: (deps, { companyId, accounts }, { draws, realNow }) => {
    const amount = centavos(draws.between(1, 100_000));
    return deposit(deps, { companyId, accountId: draws.one(accounts), amount, key: `deposit-${realNow()}` });
  },
  unmatched: async (deps, { companyId }, { draws }) => {
    const waiting = (await showUnmatched(deps, { companyId })).filter(({ state }) => state === 'OPEN');
    const one = waiting.length === 0 ? undefined : draws.one(waiting);
    if (one !== undefined) await returnUnmatched(deps, { companyId, endToEndId: one['endToEndId'] ?? '' });
  },
  block: (deps, { companyId, accounts }, { draws }) =>
    setAccountStatus(deps, { companyId, accountId: draws.one(accounts.slice(2)), status: 'INACTIVE' }),
  open: async (deps, { companyId, accounts }) => {
    for (const accountId of accounts.slice(2))
      await setAccountStatus(deps, { companyId, accountId, status: 'ACTIVE' }).catch(unlessRefused);
  },
  close: (deps, { companyId, accounts }, { draws }) =>
    setAccountStatus(deps, { companyId, accountId: draws.one(accounts), status: 'CLOSED' }),
  disable: (deps, { clientId }) => setClientStatus(deps, clientId, 'DISABLED'),
  enable: (deps, { clientId }) => setClientStatus(deps, clientId, 'ACTIVE'),
};
/** What follows a command that stops something. */
const undone: Readonly<Record<string, string>> = { hold: 'release', block: 'open', disable: 'enable' };
const drawn = Object.keys(commands).filter((name) => name !== 'enable');

/** Allows, day and night, to repeat what is open for long: without a look at the bank, which the service takes. */
export async function tend(world: CrowdWorld, { companyId }: Company, isOver: () => boolean): Promise<void> {
  while (!isOver()) {
    await world.sleep(world.draws.between(600_000, 3_600_000));
    for (const reference of world.openCommands(companyId))
      await world.operate('repeat', (deps) => allowRepetition(deps, { companyId, reference }));
  }
}

/** One command at a company; what it stops goes on after a while. */
export async function operate(world: CrowdWorld, company: Company): Promise<void> {
  const { draws } = world;
  const name = company.kind === 'BANK' && draws.chance(0.4) ? 'unmatched' : draws.one(drawn);
  await run(world, company, name);
  const back = undone[name];
  if (back === undefined) return;
  await world.sleep(draws.between(60_000, longestMs));
  await runUntilDone(world, company, back);
}

/** Blocks an account at the same moment, and opens it when the requests are answered. */
export async function blockBeside(world: CrowdWorld, company: Company, move: () => Promise<unknown>): Promise<void> {
  await Promise.all([move(), run(world, company, 'block')]);
  await runUntilDone(world, company, 'open');
}

const hour = 3_600_000;

/**
 * A payer claims a payment back, and the bank decides, or not for long. It tells people alone: an operator brings both
 * to the service.
 */
export async function claimBack(world: CrowdWorld, { companyId }: Company): Promise<void> {
  const { draws } = world;
  const received = world.received(companyId);
  if (received.length === 0) return;
  const { endToEndId, amount: paid, giveBack } = draws.one(received);
  const amount = centavos(draws.chance(0.5) ? paid : draws.between(1, paid + 1));
  const opened = await world.operate('dispute', async (deps) =>
    openReported(deps, { companyId, endToEndId, amount, reason: 'A scam.' }).catch(unlessRefused),
  );
  const disputeId = opened?.['disputeId'];
  if (typeof disputeId !== 'string' || draws.chance(0.2)) return;
  const hear = async (said: Omit<Parameters<typeof decideReported>[1], 'companyId' | 'disputeId'>): Promise<void> => {
    const hearOnce = () =>
      world.operate('decision', async (deps) => {
        await decideReported(deps, { companyId, disputeId, ...said }).catch(unlessRefused);
        return 'DONE' as const;
      });
    while ((await hearOnce()) === undefined) await world.sleep(60_000);
  };
  await world.sleep(draws.between(60_000, hour));
  if (draws.chance(0.3)) await hear({ status: 'DEFENDED' });
  await world.sleep(draws.between(60_000, draws.chance(0.5) ? hour : 30 * hour));
  const status = draws.one(['ACCEPTED', 'ACCEPTED', 'ACCEPTED', 'REJECTED', 'CANCELED'] as const);
  if (status !== 'ACCEPTED') return hear({ status });
  const back = centavos(draws.chance(0.5) ? amount : draws.between(1, amount + 1));
  return hear({ status, amount: back, returnId: giveBack(back) });
}

/** Undefined when it died or failed. */
function run(world: CrowdWorld, company: Company, name: string): Promise<'DONE' | undefined> {
  return world.operate(name, async (deps) => {
    await commands[name]!(deps, company, world);
    return 'DONE' as const;
  });
}

async function runUntilDone(world: CrowdWorld, company: Company, name: string): Promise<void> {
  while ((await run(world, company, name)) === undefined) await world.sleep(60_000);
}
