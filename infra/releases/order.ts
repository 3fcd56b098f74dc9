/*
 * The order in which an environment changes its release, as words of the CDK CLI. `npm run release`, `npm run rollback`
 * and the trial in an emulator take it from here.
 */

/** Data first, whose new indexes the functions ask for; then functions and API; alarms last. By their dependencies. */
export function deployArgs(stage: string): readonly string[] {
  return ['deploy', `${stage}/*`];
}

/**
 * Back to a release before: functions, queues and API alone. The table keeps its indexes, for which functions of the
 * newer release still ask until the last of them is gone; alarms that watch what is gone are silent, not red.
 */
export function rollbackArgs(stage: string): readonly string[] {
  return ['deploy', `${stage}/Service`, '--exclusively'];
}
