#!/bin/sh
sleep 0.10   # stands for real work
