/**
 * The Content-Disposition of a download (RFC 6266): the name in ASCII for old clients, and in full for others. Characters that a
 * client could take for a path, or that a header cannot hold, are replaced.
 */
export function toDisposition(filename: string): string {
  const plain = filename.replace(/[^\x20-\x7e]/gu, '_').replace(/["\\/%;]/g, '_');
  const exact = encodeURIComponent(filename.replace(/[\\/]/g, '_')).replace(
    /['()*]/g,
    character => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `attachment; filename="${plain}"; filename*=UTF-8''${exact}`;
}
