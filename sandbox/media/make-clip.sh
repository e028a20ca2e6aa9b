#!/bin/sh
# Makes clip.mp4: 60 seconds, one fragment per second, so that the first N fragments are a video of N seconds.
# Run by hand when the picture should change; needs ffmpeg with libx264 and drawtext. The result is kept in the repository.
set -eu
cd "$(dirname "$0")"
scene="drawbox=x=0:y=380:w=iw:h=100:color=0x16213e:t=fill,\
drawtext=text='SANDBOX':fontsize=56:fontcolor=0xe8e8f0:x=(w-tw)/2:y=110,\
drawtext=text='%{eif\\:t+1\\:d} s':fontsize=110:fontcolor=0xf2c14e:x=(w-tw)/2:y=210"
ffmpeg -v error -y -f lavfi -i "color=c=0x0f1626:s=854x480:r=12:d=60" \
  -f lavfi -i "color=c=0x4ecdc4:s=60x60:r=12:d=60" \
  -filter_complex "[0]${scene}[back];[back][1]overlay=x='mod(t,4)/4*(W+60)-60':y=400" \
  -c:v libx264 -preset veryslow -crf 30 -pix_fmt yuv420p -profile:v main -bf 0 -g 12 -keyint_min 12 -sc_threshold 0 \
  -map_metadata -1 -fflags +bitexact -flags:v +bitexact -video_track_timescale 12288 \
  -movflags +frag_keyframe+empty_moov+default_base_moof -f mp4 clip.mp4
