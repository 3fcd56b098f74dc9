// Orders of a company without a bank in a build of production, for a test: prints their answers, and what was written.
import type { Answer } from '../support/api.ts';
import { companyOne, payInBody, payoutBody } from '../support/bank-world.ts';
import { subscriptionBody, subscriptionWorld } from '../support/subscription-world.ts';

const shown = ({ status, body }: Answer): object => ({ ...(body as object), status });

const world = subscriptionWorld();
await world.openAccount(100_00);
const before = world.items().length;
const payIn = await world.createPayIn({ companyId: companyOne, key: 'a', body: payInBody() });
const payout = await world.createPayout({ companyId: companyOne, key: 'b', body: payoutBody() });
const subscription = await world.send(subscriptionBody(), 'c');
const responses = [payIn, payout, subscription].map(shown);
process.stderr.write(JSON.stringify({ answers: responses, written: world.items().length - before }));
