// How things sound: made on the spot of tones and noise, short and quiet. Wood for a tile, a clack for a die, a ring for
// what shines, two knocks when an auction is called, a drum for a blow, a gong when the sun sets, a bell for your turn.

// What makes sounds in an audio context, and sends them to `out`.
export function instrument(audio, out) {
  let noise = null;

  // A gain that begins at once and fades away.
  function fading(loudness, seconds, begin) {
    const gain = new GainNode(audio, { gain: 0 });
    gain.gain.setValueAtTime(0, begin);
    gain.gain.linearRampToValueAtTime(loudness, begin + 0.004);
    gain.gain.exponentialRampToValueAtTime(0.0001, begin + seconds);
    gain.connect(out);
    return gain;
  }

  function tone(pitch, loudness, seconds, begin, shape = "sine", falls = 1) {
    const source = new OscillatorNode(audio, { type: shape, frequency: pitch });
    if (falls !== 1) {
      source.frequency.setValueAtTime(pitch, begin);
      source.frequency.exponentialRampToValueAtTime(pitch * falls, begin + seconds);
    }
    source.connect(fading(loudness, seconds, begin));
    source.start(begin);
    source.stop(begin + seconds);
  }

  // A short breath of noise around a pitch.
  function breath(pitch, width, loudness, seconds, begin) {
    noise ??= noises();
    const source = new AudioBufferSourceNode(audio, { buffer: noise, loop: true });
    const filter = new BiquadFilterNode(audio, { type: "bandpass", frequency: pitch, Q: width });
    source.connect(filter).connect(fading(loudness, seconds, begin));
    source.start(begin, Math.random() * 0.5);
    source.stop(begin + seconds);
  }

  function noises() {
    const buffer = new AudioBuffer({ length: audio.sampleRate, sampleRate: audio.sampleRate });
    const samples = buffer.getChannelData(0);
    for (let i = 0; i < samples.length; i++) samples[i] = Math.random() * 2 - 1;
    return buffer;
  }

  function knock(begin) {
    breath(620, 2, 0.3, 0.06, begin);
    tone(240, 0.2, 0.1, begin, "triangle", 0.7);
  }

  // Tones over each other, each quieter and shorter than the one below.
  function chime(tones, begin) {
    for (const [pitch, loudness, seconds] of tones) tone(pitch, loudness, seconds, begin);
  }

  return {
    tile(begin) {
      breath(900, 1.2, 0.22, 0.05, begin);
      tone(190, 0.16, 0.09, begin, "sine", 0.6);
    },
    die(begin) {
      breath(2600, 2.5, 0.3, 0.035, begin);
      breath(1500, 3, 0.2, 0.05, begin + 0.05);
      tone(420, 0.05, 0.05, begin, "triangle", 0.7);
    },
    card(begin) {
      breath(3800, 0.7, 0.14, 0.09, begin);
    },
    step(begin) {
      tone(520, 0.09, 0.06, begin, "triangle", 0.8);
      breath(1800, 2, 0.08, 0.03, begin);
    },
    ring(begin) {
      chime(
        [
          [1244, 0.05, 0.7],
          [2637, 0.03, 0.45],
          [3951, 0.012, 0.25],
        ],
        begin,
      );
    },
    gavel(begin) {
      knock(begin);
      knock(begin + 0.16);
    },
    count(begin) {
      tone(880, 0.06, 0.07, begin, "triangle");
      tone(1320, 0.03, 0.09, begin + 0.03);
    },
    drum(begin) {
      tone(96, 0.3, 0.5, begin, "sine", 0.5);
      breath(180, 1, 0.3, 0.12, begin);
    },
    gong(begin) {
      chime(
        [
          [164, 0.14, 1.4],
          [247, 0.07, 1.1],
          [414, 0.035, 0.8],
        ],
        begin,
      );
    },
    tick(begin) {
      tone(310, 0.12, 0.07, begin, "triangle");
    },
    bell(begin) {
      for (const [pitch, loudness, seconds] of [
        [659, 0.09, 1.1],
        [1318, 0.035, 0.7],
        [1975, 0.014, 0.4],
      ]) {
        tone(pitch, loudness, seconds, begin);
        tone(pitch * 1.335, loudness * 0.8, seconds, begin + 0.16);
      }
    },
    end(begin) {
      for (const [place, pitch] of [523, 659, 784, 1046].entries())
        chime(
          [
            [pitch, 0.08, 0.9],
            [pitch * 2, 0.02, 0.5],
          ],
          begin + place * 0.14,
        );
    },
  };
}
