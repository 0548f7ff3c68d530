/**
 * The contract's version, a date (specification, "Versioning"): OpenAPI's `info.version`, every event's `apiVersion` and
 * the response header Service-Version. It changes with the contract and with nothing else.
 */
export const apiVersion = '2026-11-01';
