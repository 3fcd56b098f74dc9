import * as fc from 'fast-check';

/** One seed for all properties of a run, so that every run of a commit tries the same: `FC_SEED` chooses another. */
const seed = Number(process.env['FC_SEED'] ?? 20_241_028);
fc.configureGlobal({ seed });

export { fc };
