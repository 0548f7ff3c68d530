/**
 * The version of the contract, a date: OpenAPI's `info.version`, every event's `apiVersion` and the header Service-Version
 * (docs/contract-decisions.md, "Version"). It changes only with the contract.
 */
export const apiVersion = '2026-11-01';
