/** Pages of lists: signed keyset cursors, and bounded scans for lists with filters that no index has. */
export {
  buildScanStatement,
  maxScannedRows,
  readScanPage,
  ScanConditions,
  type ScanRow,
  type ScanStatement,
  toScanPage,
} from './bounded-scan.ts';
export { type CursorKey, Cursors, InvalidCursor, type Page, type PageRequest, toPage } from './cursors.ts';
export { cutPage, limitBytes, mapPage, maxPageBytes, type PageRows, readPage } from './page-rows.ts';
export { readSweepPosition, saveSweepPosition } from './sweep-position.ts';
