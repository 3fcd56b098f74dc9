import { environments } from '#infra/environments.ts';
import { settingsVariable } from '#shared/platform/settings.ts';
import { audience, issuerUrl, jwksUri } from './issuer.ts';
import { dueQueueUrls, queueUrls } from './queues.ts';

/** The variables of all functions: an environment on AWS, whose codes go to anyone and whose issuer is the world's. */
export function setVariables(seed: number): void {
  const { deliveries: usual, bankCallbacks, orders, statements, keys } = environments.hml;
  // In some lives few failures open a circuit: those of production need hundreds of notifications an hour.
  const circuit = { ...usual.circuit, ...(seed % 4 < 2 && { failures: 6, deliveries: 3, timeouts: 2 }) };
  // In some lives late deliveries find no place: there is no burst that takes those of production.
  const deliveries = { ...usual, circuit, ...(seed % 2 === 1 && { companyShare: 5 }) };
  const senders = { emailFrom: 'pix@world.example', recipients: 'ANYONE' as const };
  const tokens = { issuers: [issuerUrl], jwksUri, audiences: [audience], scope: audience };
  // Some lives hold charges in `INITIAL` until their window opens, as production does.
  const schedule = { ...orders.schedule, ...(seed % 3 === 0 && { releaseDaysBefore: 5 }) };
  const text = settingsVariable({
    ...{ tokens, deliveries, bankCallbacks, orders: { ...orders, schedule }, statements },
    keys: { rules: keys.rules, senders },
  });
  const names = {
    TABLE_NAME: 'world',
    METRIC_NAMESPACE: 'world',
    ERROR_PAGES: '/docs/errors/',
    CALLBACK_HOST: 'none',
    SIGNING_KEY: 'arn:of-the-world',
    ROOTS_BUCKET: 'roots',
  };
  Object.assign(process.env, { ...names, SETTINGS: text, ...queueUrls, ...dueQueueUrls });
}
