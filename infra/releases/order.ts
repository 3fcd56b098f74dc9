/*
 * The order in which an environment changes its release, as arguments of the CDK CLI, for `npm run release`,
 * `npm run rollback` and the trial in an emulator.
 */

/**
 * Arguments of a release. The stacks follow by their dependencies: data first, because functions query its new indexes;
 * then functions and API; alarms last.
 */
export function deployArgs(stage: string): readonly string[] {
  return ['deploy', `${stage}/*`];
}

/**
 * Arguments of a rollback to an earlier release: only functions, queues and API. The table keeps its indexes, because
 * functions of the newer release query them until the last function has ended. Alarms on removed resources have no data
 * and do not fire.
 */
export function rollbackArgs(stage: string): readonly string[] {
  return ['deploy', `${stage}/Service`, '--exclusively'];
}
