/** Tags of threads, as the contract has them. */
const pattern = /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/;

/** Of a thread. */
export const mostTags = 20;

export const isTag = (text: string): boolean => pattern.test(text);
