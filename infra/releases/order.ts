/*
 * The order in which an environment changes its release, as arguments of the CDK CLI, for `npm run release`,
 * `npm run rollback` and the trial in an emulator.
 */

/** Data first, because functions query its new indexes; then functions and API; alarms last. By their dependencies. */
export function deployArgs(stage: string): readonly string[] {
  return ['deploy', `${stage}/*`];
}

/**
 * Back to an earlier release: only functions, queues and API. The table keeps its indexes, which functions of the newer
 * release query until the last of them has ended; alarms on removed resources have no data and do not fire.
 */
export function rollbackArgs(stage: string): readonly string[] {
  return ['deploy', `${stage}/Service`, '--exclusively'];
}
