/**
 * Asks language models. `ModelWorker` implements `Models` (run/services.ts): it sends each question to a worker thread
 * (models.worker.ts), which makes the attempts (models.ts, attempt.ts), streams the text back, and answers with a `ModelOutcome`.
 */
export { ModelWorker } from './model-worker.ts';
export { defaultModelUrls, type ModelUrls } from './urls.ts';
