/** A QR code as one path of squares, dark on light in every colour scheme, as cameras want it. */
import { useMemo } from 'react';
import { encode } from 'uqr';
import classes from './section.module.css';

export function QrCode({ text, label }: { readonly text: string; readonly label: string }) {
  const { size, path } = useMemo(() => {
    const { data, size } = encode(text, { ecc: 'M', border: 3 });
    const squares = data.flatMap((row, y) =>
      row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : [])),
    );
    return { size, path: squares.join('') };
  }, [text]);
  return (
    <svg className={classes['qr']} viewBox={`0 0 ${size} ${size}`} role="img" aria-label={label}>
      <rect width={size} height={size} fill="#fff" />
      <path d={path} fill="#000" shapeRendering="crispEdges" />
    </svg>
  );
}
