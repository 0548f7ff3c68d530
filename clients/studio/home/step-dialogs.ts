import type { StepName } from './checklist.ts';

/** Steps that are done in a dialog. */
const dialogs = ['channel', 'key', 'webhook'] as const;
export type DialogName = (typeof dialogs)[number];

export const isDialog = (name: StepName): name is DialogName => dialogs.some(each => each === name);
