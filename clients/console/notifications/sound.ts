/** Two short tones, made by the browser. */
let context: AudioContext | undefined;
let playedAt = 0;

/** Milliseconds between two sounds, so that a flood does not ring without end. */
const leastMs = 3_000;

function playTone(audio: AudioContext, frequency: number, at: number): void {
  const tone = audio.createOscillator();
  const loudness = audio.createGain();
  tone.frequency.value = frequency;
  // Comes and goes within a tenth of a second: a tone that is cut off cracks.
  loudness.gain.setValueAtTime(0, at);
  loudness.gain.linearRampToValueAtTime(0.08, at + 0.02);
  loudness.gain.linearRampToValueAtTime(0, at + 0.12);
  tone.connect(loudness).connect(audio.destination);
  tone.start(at);
  tone.stop(at + 0.13);
}

/** In one of the tabs, if there are several. */
export function playSound(now = Date.now()): void {
  if (now - playedAt < leastMs) return;
  playedAt = now;
  const play = (): void => {
    context ??= new AudioContext();
    playTone(context, 660, context.currentTime);
    playTone(context, 880, context.currentTime + 0.14);
  };
  if (!('locks' in navigator)) return play();
  void navigator.locks.request('skein-sound', { ifAvailable: true }, async lock => {
    if (lock === null) return;
    play();
    await new Promise(resolve => setTimeout(resolve, leastMs));
  });
}
