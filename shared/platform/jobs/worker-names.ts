/** Functions that no route calls. Wiring, alarms and the metrics' dimension `worker` use these names. */
export type WorkerName =
  | 'authorizer'
  | 'relay-deliveries'
  | 'deliver-notification'
  | 'drain-backlogs'
  | 'sweep-deliveries'
  | 'expire-pay-ins'
  | 'submit-payouts'
  | 'resend-settlement-errors'
  | 'advance-scheduled-payments'
  | 'submit-commands'
  | 'send-key-codes'
  | 'chain-entries'
  | 'receive-callbacks'
  | 'apply-callbacks'
  | 'read-bank-lists'
  | SimulationWorkerName;

/** Workers that are not deployed in production. */
export type SimulationWorkerName = 'run-company-jobs';
