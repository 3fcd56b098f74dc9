/*
 * The whole acceptance suite runs in the local environment: `npm test` and `npm run test:slow`. At another bank, and on
 * a deployment, only the files run whose parts differ there. Each file is in exactly one of the lists `onDeployments`
 * and `inOneEnvironment`; a test checks this.
 */

/** Files by their names below `test/`, each with what it proves. */
type Files = Readonly<Record<string, string>>;

/**
 * Files on the parts that differ on a deployment: routes and responses of the gateway, rights of each function by its
 * role, its variables, event sources and their queues, schedules, the indexes of the table that a function may read.
 */
export const onDeployments: Files = {
  'acceptance/accounts-listing': 'the indexes of accounts',
  'acceptance/bank-ends': 'commands that a job submits, and their rights',
  'acceptance/caller-faults': 'a header that no gateway may drop',
  'acceptance/capabilities': 'the profile of a company, which other functions read',
  'acceptance/certificates': 'the right to sign, and media types that the gateway passes on',
  'acceptance/clock': 'jobs of a company’s clock, by their own function',
  'acceptance/credits': 'the indexes of credits; returns, by the stream and a job',
  'acceptance/disputes': 'the indexes of disputes; blocks and reminders, by jobs',
  'acceptance/hostile-requests': 'requests that the gateway passes on or refuses itself',
  'acceptance/orders-listing': 'the indexes of orders',
  'acceptance/pay-ins-expiry': 'the schedule of expiry',
  'acceptance/pay-ins-refunds': 'refunds, by the stream and a job',
  'acceptance/payouts-keys': 'concurrent requests in transactions of another engine',
  'acceptance/payouts-moves': 'payouts, by the stream and a job',
  'acceptance/pix-keys': 'codes, by the schedule of their job',
  'acceptance/pix-keys-registration': 'commands of keys, by a company’s clock; the rights of a removal',
  'acceptance/scheduled-payments': 'charges, by the schedule of their job',
  'acceptance/scheduled-payments-resends': 'the schedule of resends, by the clock of Brasilia',
  'acceptance/statement': 'the order of entries by their keys',
  'acceptance/subscriptions-moves': 'subscriptions, by the stream and a job',
  'acceptance/tenancy': 'every route and its authorizer',
  'acceptance/token-faults': 'causes of a 401, and the gateway’s cache of the authorizer',
  'acceptance/tokens': 'the authorizer, and the gateway’s cache of it',
  'acceptance/webhooks-deliveries': 'stream, queue and delivery, and the index of deliveries',
  'acceptance/webhooks-secret': 'permissions to read webhook secrets',
  'slow/acceptance/document-examples': 'every operation succeeds: rights, variables, secrets',
  'slow/acceptance/webhooks-resends': 'the job of resends, and its drains',
  'slow/acceptance/webhooks-retries': 'delays, retries and dead letters of the queue',
};

/** Files on parts that no deployment changes, each with the reason. */
export const inOneEnvironment: Files = {
  'acceptance/clock-windows': 'rules of hours by a company’s clock: the same code, nothing of AWS',
  'acceptance/key-limits': 'rules of quotas: the same code',
  'acceptance/pay-ins-create': 'rules of fields; document-examples and tenancy call the function',
  'acceptance/pay-ins-moves': 'rules of states; pay-ins-refunds uses the stream',
  'acceptance/payouts-create': 'rules of fields; payouts-moves calls the function',
  'acceptance/readme': 'commands of README.md, with the receiver of the local environment',
  'acceptance/receiver': 'the receiver of the local environment',
  'acceptance/subscriptions-create': 'rules of fields; subscriptions-moves calls the function',
  'acceptance/subscriptions-keys': 'rules of keys; payouts-keys tests them on the engine',
  'acceptance/synthetic-caller': 'a program that calls the API of partners from outside',
  'acceptance/webhooks-endpoints': 'times, which an emulator does not keep',
  'acceptance/webhooks-settings': 'rules of fields; every other file sets them',
  'slow/acceptance/clock-year': 'rules of a year; clock runs the jobs',
  'slow/acceptance/demo': 'a command for partners; the smoke run in LocalStack runs it',
  'slow/acceptance/doctor': 'a command for partners, against the API',
  'slow/acceptance/statement-files': 'a command for partners; statement reads the files',
  'slow/acceptance/hostile-fuzz': 'rules of fields; hostile-requests tests the gateway',
  'slow/acceptance/listen': 'a command for partners, against the API',
  'slow/acceptance/partner-kit': 'the package for partners, in the local environment',
  'slow/acceptance/partner-samples': 'the samples for partners, in the local environment',
  'slow/acceptance/scenarios': 'sequences of operations that the files above call one by one',
  'slow/acceptance/statement-tampered': 'the file of the local engine',
  'slow/acceptance/subscriptions-address': 'times, and rules; document-examples and tenancy call the function',
  'slow/acceptance/webhooks-hanging': 'times, which an emulator does not keep',
  'slow/acceptance/webhooks-scale': 'times, which an emulator does not keep',
};

/** Files on the parts that differ behind another bank: those that move money, or ask a bank for anything. */
export const atBanks: Files = {
  'acceptance/bank-ends': 'final statuses from a bank',
  'acceptance/caller-faults': 'a payout whose reply is lost',
  'acceptance/capabilities': 'what the bank can do',
  'acceptance/certificates': 'what a bank decided of a payment',
  'acceptance/clock-windows': 'a cancellation at the bank, in time and too late',
  'acceptance/disputes': 'claims of the bank’s list, defences and returns',
  'acceptance/orders-listing': 'a subscription settled by the bank',
  'acceptance/pay-ins-create': 'charges of the bank',
  'acceptance/pay-ins-expiry': 'expiry of a charge at the bank',
  'acceptance/pay-ins-moves': 'charges that the bank reports as paid',
  'acceptance/pay-ins-refunds': 'refunds by the bank',
  'acceptance/payouts-create': 'payouts by the bank',
  'acceptance/payouts-keys': 'concurrent payouts, each once at the bank',
  'acceptance/payouts-moves': 'payouts that the bank reports as final',
  'acceptance/scheduled-payments': 'recurring charges of the bank',
  'acceptance/scheduled-payments-resends': 'resends of the bank',
  'acceptance/statement': 'money that the bank receives and sends',
  'acceptance/subscriptions-create': 'recurrences of the bank',
  'acceptance/subscriptions-keys': 'concurrent recurrences, each once at the bank',
  'acceptance/subscriptions-moves': 'recurrences whose status the bank changed',
  'slow/acceptance/clock-year': 'a year of charges at the bank',
  'slow/acceptance/demo': 'the journey of payment and refund',
};

/** Paths of such files. */
export const pathsOf = (files: Files): readonly string[] => Object.keys(files).map((name) => `test/${name}.test.ts`);
