/** Pages of lists: signed keyset cursors, and bounded scans for lists with filters that no index has. */
export {
  buildScanStatement,
  maxScannedRows,
  readScanPage,
  ScanConditions,
  type ScanPage,
  type ScanRow,
  type ScanStatement,
  toScanPage,
} from './bounded-scan.ts';
export {
  type CursorKey,
  Cursors,
  fromScanPage,
  InvalidCursor,
  type Page,
  type PageRequest,
  toPage,
} from './cursors.ts';
export { readSweepPosition, saveSweepPosition } from './sweep-position.ts';
