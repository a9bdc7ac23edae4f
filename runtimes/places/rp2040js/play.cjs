// Plays an RP2040 that has a firmware.bin in flash: its first UART is our standard input and output.
// The boot ROM is not in the npm package: as it does, the second stage is copied to SRAM and started.
'use strict';

const fs = require('fs');
const {Simulator} = require('rp2040js');

const SECOND_STAGE = 0x41f00, SRAM = 0x20000000, BYTES = 256, SRAM_END = 0x20042000;
const SLICE = 20000;  // instructions between looks at our input
const NANOSECONDS = 8;  // of a cycle at 125 MHz
const EXIT_EXTENDED = 0x20, WRITE0 = 0x04, SEMIHOSTING = 0xab;

const image = fs.readFileSync(process.argv[2]);
const {clock, rp2040: chip} = new Simulator();  // which is not asked to run it
const quiet = () => {};
chip.logger = {debug: quiet, info: quiet, warn: quiet, error: quiet};
chip.flash.set(image, 0);
chip.sram.set(image.subarray(0, BYTES), SECOND_STAGE);
chip.core.SP = SRAM_END;
chip.core.PC = SRAM + SECOND_STAGE;

const uart = chip.uart[0], incoming = [];
let said = [], scheduled = false;

uart.onByte = byte => said.push(byte);
uart.onBaudRateChange = rate => process.argv[3] && fs.writeFileSync(process.argv[3], `${rate}\n`);

chip.onBreak = code => {
  const [operation, argument] = chip.core.registers;
  if (code === SEMIHOSTING && operation === EXIT_EXTENDED) {
    flush();
    process.exitCode = chip.readUint32(argument + 4);
    process.stdin.destroy();
    stopped = true;
  } else if (code === SEMIHOSTING && operation === WRITE0) {
    for (let at = argument, byte; (byte = chip.readUint8(at)) !== 0; ++at) said.push(byte);
  }
};

let stopped = false;

function flush() {
  if (said.length) fs.writeSync(1, Buffer.from(said));
  said = [];
}

function run() {
  scheduled = false;
  for (let i = 0; i < SLICE && !stopped; ++i) {
    if (incoming.length && uart.rxFIFO.empty) {
      chip.core.waiting = false;  // before: rp2040js would take an interrupt that PRIMASK holds back
      uart.feedByte(incoming.shift());
    }
    if (chip.core.waiting) break;
    clock.tick(chip.core.executeInstruction() * NANOSECONDS);
  }
  flush();
  if (!chip.core.waiting) schedule();
}

function schedule() {
  if (scheduled || stopped) return;
  scheduled = true;
  setImmediate(run);
}

process.stdin.on('data', data => {
  for (const byte of data) incoming.push(byte);
  schedule();
});
process.stdin.on('end', () => process.exit(0));
schedule();
