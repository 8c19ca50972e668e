#!/usr/bin/env node
import { launch } from '../launch.mjs';

await launch(['kontoport/src/main.ts', ...process.argv.slice(2)]);
